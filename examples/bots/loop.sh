#!/usr/bin/env bash
# The loop of a bot as curl: BOT_TOKEN=gp_… ./loop.sh. It plays at random.
# It needs bash, curl 7.71 or later, and python3 to read JSON.

URL=${GALAPOST_URL:-http://127.0.0.1:8000}
ANSWER=$(mktemp) && trap 'rm -f "$ANSWER"' EXIT

# PATH [BODY]: the status; the answer is in the file. What meets 429, 5xx or no answer at all is sent again by curl: later
# and later, or when Retry-After says so. Its patience must be longer than the wait.
ask() {
  curl -s --retry 4 --retry-all-errors --max-time 40 -o "$ANSWER" -w '%{http_code}' \
    -H "Authorization: Bearer $BOT_TOKEN" -H 'Content-Type: application/json' ${2:+-d "$2"} "$URL/v1$1"
}

# What Python makes of the answer, which it calls `it`.
make() { python3 -c "import json, random, sys; it = json.load(open(sys.argv[1])); print($1)" "$ANSWER"; }

# GAME DECISION: whether that is settled. 201: played, 200: it had been played before, 409: it is out of date.
answer() {
  local move
  case $(ask "/games/$1/legal-moves") in
    200) move=$(make "json.dumps({'decision': $2, 'move': random.choice(it['items'])['notation']})") ;;
    409) return 0 ;;
    *) return 1 ;;
  esac
  case $(ask "/games/$1/moves" "$move") in 200 | 201 | 409) return 0 ;; *) return 1 ;; esac
}

cursor=
while true; do
  case $(ask "/me/decisions?wait=25${cursor:+&after=$cursor}") in
    200) owed=$(make "'\n'.join([it['next_after'], *(one['game'] + ' ' + str(one['decision']) for one in it['items'])])") ;;
    204) continue ;; # nothing new
    401 | 403) cat "$ANSWER" >&2; exit 1 ;;
    *) sleep 5; continue ;;
  esac
  {
    read -r cursor
    while read -r game decision; do
      answer "$game" "$decision" || { cursor=; sleep 5; } # without a cursor, what stayed open is listed again
    done
  } <<< "$owed"
done
