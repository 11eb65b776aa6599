// Two people play a game with the client that openapi-typescript made: `node play.js URL NAME NAME`.
//
// Whoever runs this reads their mail: for `code for ADDRESS?` on standard output a line with the code is expected on
// standard input. The last line is the game in JSON.

import { createInterface } from "node:readline";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./galapost.js";

type Game = components["schemas"]["Game"];
type Problem = components["schemas"]["Problem"];
type Person = { client: Client<paths>; moves: number };
type Answered<T> = { data?: T; error?: Problem; response: Response };

const mail = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

function good<T>({ data, error, response }: Answered<T>): NonNullable<T> {
  if (data === undefined || data === null) throw new Error(`${response.url}: ${error?.code ?? response.status}: ${error?.detail}`);
  return data;
}

async function signIn(url: string, name: string): Promise<Person> {
  const stranger = createClient<paths>({ baseUrl: url });
  const email = `${name.toLowerCase()}@example.org`;
  const { verification } = good(await stranger.POST("/v1/accounts", { body: { email, language: "en" } }));
  console.log(`code for ${email}?`);
  const code: string = (await mail.next()).value;
  const { token } = good(await stranger.POST("/v1/accounts/verification", { body: { verification, code, name } }));
  return { client: createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } }), moves: 0 };
}

async function meet(host: Person, guest: Person): Promise<Game> {
  const { id } = good(await host.client.POST("/v1/games", { body: { seats: 2, spectators: "public" } }));
  return good(await guest.client.POST("/v1/games/{game_id}/seats", { params: { path: { game_id: id } }, body: {} }));
}

/** Whether there was anything. */
async function answerWhatIsOwed(person: Person): Promise<boolean> {
  const owed = good(await person.client.GET("/v1/me/decisions"));
  for (const { game, decision } of owed.items) {
    const params = { path: { game_id: game } };
    const legal = good(await person.client.GET("/v1/games/{game_id}/legal-moves", { params }));
    const chosen = legal.items[person.moves % legal.items.length];
    if (chosen === undefined) throw new Error("a decision without an answer");
    good(await person.client.POST("/v1/games/{game_id}/moves", { params, body: { decision, move: chosen.notation } }));
    person.moves += 1;
  }
  return owed.items.length > 0;
}

/** What a stranger's move comes to. */
async function aMistake(url: string, game: Game): Promise<Problem> {
  const stranger = createClient<paths>({ baseUrl: url, headers: { Authorization: "Bearer gp_nobody" } });
  const body = { decision: 1, move: "pass" };
  const { error } = await stranger.POST("/v1/games/{game_id}/moves", { params: { path: { game_id: game.id } }, body });
  if (error === undefined) throw new Error("a stranger played");
  return error;
}

const [url, ...names] = process.argv.slice(2);
if (url === undefined || names[0] === undefined || names[1] === undefined) throw new Error("play.js URL NAME NAME");
const ann = await signIn(url, names[0]);
const bob = await signIn(url, names[1]);
const game = await meet(ann, bob);
const problem = await aMistake(url, game);
while ((await answerWhatIsOwed(ann)) || (await answerWhatIsOwed(bob)));
const params = { path: { game_id: game.id } };
const over = good(await ann.client.GET("/v1/games/{game_id}", { params }));
const spectator = createClient<paths>({ baseUrl: url });
const view = good(await spectator.GET("/v1/games/{game_id}/view", { params }));
if (over.result === null) throw new Error("the game is not over");
const named = ["id", "status", "result", "waiting_for"] satisfies (keyof Game)[];
console.log(
  JSON.stringify({
    game: over.id,
    status: over.status,
    moves: ann.moves + bob.moves,
    winners: over.result.winners,
    scores: over.result.scores,
    turns: view.turn,
    problem: problem.code,
    further: Object.keys(over).filter((key) => key === "unheard_of"),
    known: named.every((key) => key in over),
  }),
);
process.exit(0);
