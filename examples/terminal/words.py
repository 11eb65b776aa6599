"""What the terminal client says of its own accord; the rest comes from the server in the person's language."""

WORDS = {
    "en": {
        "address": "your e-mail address: ",
        "code": "the code in the mail to you: ",
        "name": "how others shall call you, if you are new here (empty: something is made up): ",
        "welcome": "You are {name} at {url}. 'help' says what can be typed.",
        "no answer": "no answer ({why}); trying again, Ctrl-C leaves",
        "bye": "Your games go on; what you owe waits for you here.",
        "signed out": "Your token is no longer good. Sign in again.",
        "no games": "There are no games; 'new 2' makes one for two.",
        "free": "{free} free",
        "your turn": "your turn",
        "turn of": "{name}'s turn",
        "waiting for players": "{id}: waiting for players, {free} to come",
        "at table": "At the table: {players}",
        "not now": "It is not your turn. 'help' says what can be typed.",
        "what": "'help' says what can be typed.",
        "stopped": "not played: {moves} ({why})",
        "over": "The game is over. {result}",
        "cancelled": "The game was cancelled.",
        "help lobby": """\
  games         games that you play, and those that have a free seat
  new 2         make a game of 2 to 4 seats
  join 1        take a seat in number 1 of the list, or in the game with that id
  open 1        go to the table of a game of yours
  quit          leave""",
        "help table": """\
  3             play number 3 of the list; or in notation: feed A1
  3; end        several moves in a row
  moves, table  show them again
  say Hello!    talk at the table
  lobby         back to the list of games
  quit          leave""",
    },
    "ru": {
        "address": "ваш адрес электронной почты: ",
        "code": "код из письма к вам: ",
        "name": "как вас называть, если вы здесь впервые (пусто: имя придумает сервер): ",
        "welcome": "Вы {name} на {url}. help: что можно набрать.",
        "no answer": "нет ответа ({why}); пробую ещё, Ctrl-C — выйти",
        "bye": "Ваши игры продолжаются; ваши ходы ждут вас здесь.",
        "signed out": "Ваш токен больше не действует. Войдите снова.",
        "no games": "Игр нет; «new 2» создаёт игру на двоих.",
        "free": "свободных мест: {free}",
        "your turn": "ваш ход",
        "turn of": "ходит {name}",
        "waiting for players": "{id}: ждём игроков, не хватает: {free}",
        "at table": "За столом: {players}",
        "not now": "Сейчас не ваш ход. help: что можно набрать.",
        "what": "help: что можно набрать.",
        "stopped": "не сыграно: {moves} ({why})",
        "over": "Игра окончена. {result}",
        "cancelled": "Игра отменена.",
        "help lobby": """\
  games         ваши игры и игры со свободным местом
  new 2         создать игру на 2–4 места
  join 1        сесть в игру с номером 1 из списка или с таким id
  open 1        подойти к столу своей игры
  quit          выйти""",
        "help table": """\
  3             сделать ход 3 из списка; или в нотации: feed A1
  3; end        несколько ходов подряд
  moves, table  показать их ещё раз
  say Привет!   сказать за столом
  lobby         назад к списку игр
  quit          выйти""",
    },
}
