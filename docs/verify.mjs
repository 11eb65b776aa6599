// Checks the chance of a finished game, from its record and nothing else: `node docs/verify.mjs RECORD.json`.
//
// A second implementation of docs/fairness.md, to be read beside it. Of all libraries it needs a SHA-256 alone. It knows no
// rules: that the moves were legal, and what followed from them, is for `python -m engine verify`, which replays the game.
//
// `node docs/verify.mjs --vectors docs/fairness-vectors.json` checks this program itself against the test vectors.

import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";

const LETTERS = "ABCDEFGH";
const FIRST_HAND = 6;

const sha256 = (bytes) => createHash("sha256").update(bytes).digest();
const utf8 = (text) => Buffer.from(text, "utf8");
const hex = (bytes) => Buffer.from(bytes).toString("hex");

// --- Key, blocks, words, draws ---------------------------------------------------------------------------------------

export function streamKey(seed, entropy) {
  const parts = [utf8("galapost chance 1"), seed];
  for (const { seat, revealed } of entropy) {
    if (revealed === null) continue; // left out
    const text = utf8(revealed);
    parts.push(utf8(seat), Buffer.from([text.length >> 8, text.length & 255]), text);
  }
  return sha256(Buffer.concat(parts));
}

export function hmac(key, message) {
  const padded = Buffer.alloc(64);
  (key.length > 64 ? sha256(key) : key).copy(padded);
  const inner = sha256(Buffer.concat([padded.map((byte) => byte ^ 0x36), message]));
  return sha256(Buffer.concat([padded.map((byte) => byte ^ 0x5c), inner]));
}

export class Chance {
  constructor(key) {
    this.key = key;
    this.words = 0; // read so far
  }

  word() {
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(BigInt(Math.floor(this.words / 4)));
    const word = hmac(this.key, number).readBigUInt64BE(8 * (this.words % 4));
    this.words += 1;
    return word;
  }

  below(n) {
    const wholeRounds = 2n ** 64n - (2n ** 64n % BigInt(n));
    for (;;) {
      const word = this.word();
      if (word < wholeRounds) return word % BigInt(n);
    }
  }

  die() {
    return Number(this.below(6)) + 1;
  }

  shuffled(cards) {
    const order = [...cards];
    for (let last = order.length - 1; last > 0; last -= 1) {
      const chosen = Number(this.below(last + 1));
      [order[last], order[chosen]] = [order[chosen], order[last]];
    }
    return order;
  }
}

// --- The deal --------------------------------------------------------------------------------------------------------

const BOTH = {
  "mimicry": 4, "running": 4, "scavenger": 4, "piracy": 4, "tail-loss": 4, "symbiosis": 4, "swimming": 8,
  "parasite/carnivorous": 4, "parasite/fat-tissue": 4, "large/carnivorous": 4, "large/fat-tissue": 4,
  "cooperation/carnivorous": 4, "cooperation/fat-tissue": 4,
};
const DECKS = {
  "third-edition": {
    ...BOTH, "communication/carnivorous": 4, "hibernation/carnivorous": 4, "poisonous/carnivorous": 4,
    "grazing/fat-tissue": 4, "camouflage/fat-tissue": 4, "burrowing/fat-tissue": 4, "sharp-vision/fat-tissue": 4,
  },
  "classic": {
    ...BOTH, "communication": 4, "hibernation": 4, "poisonous": 4, "grazing": 4, "camouflage": 4, "burrowing": 4,
    "sharp-vision": 4,
  },
};

const sorted = (cards) => [...cards].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));

export function unshuffled(options) {
  const sets = options.sets === "two" ? 2 : 1;
  const deck = DECKS[options.deck ?? "third-edition"];
  return sorted(Object.entries(deck).flatMap(([card, count]) => Array(count * sets).fill(card)));
}

export function deal(chance, seats, options) {
  const deck = chance.shuffled(unshuffled(options));
  const hands = {};
  for (let seat = 0; seat < seats; seat += 1) {
    hands[LETTERS[seat]] = sorted(deck.slice(0, seats * FIRST_HAND).filter((_, place) => place % seats === seat));
  }
  return { deck, hands, first: LETTERS[Number(chance.below(seats))] };
}

// --- A record --------------------------------------------------------------------------------------------------------

export class Difference extends Error {}

function same(told, computed, what) {
  if (JSON.stringify(told) !== JSON.stringify(computed)) {
    throw new Difference(`${what}: ${JSON.stringify(told)} is told, ${JSON.stringify(computed)} is computed`);
  }
}

const KINDS = {
  "text": (value) => typeof value === "string",
  "text or null": (value) => value === null || typeof value === "string",
  "number": (value) => Number.isInteger(value) && value >= 0,
  "list": Array.isArray,
  "list of texts": (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  "object": (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** Every key of the form is there and is what it has to be, so that nothing below reads what is missing. */
function check(value, form, where) {
  if (!KINDS.object(value)) throw new Difference(`${where}: expected an object, came ${JSON.stringify(value)}`);
  for (const [key, kind] of Object.entries(form)) {
    const came = Object.hasOwn(value, key) ? JSON.stringify(value[key]) : "nothing";
    if (came === "nothing" || !KINDS[kind](value[key])) {
      throw new Difference(`${where}, ${key}: expected ${kind === "object" ? "an" : "a"} ${kind}, came ${came.slice(0, 90)}`);
    }
  }
}

const RECORD = {
  format: "text", schema: "number", seats: "number", options: "object", commitment: "text", seed: "text",
  entropy: "list", deal: "object", moves: "list", events: "list", final: "object",
};

function checkForm(record) {
  check(record, RECORD, "the record");
  same(record.format, "galapost-record", "format");
  if (record.schema === 2) checkLeaving(record);
  else same(record.schema, 1, "schema");
  if (record.seats < 2 || record.seats > LETTERS.length) throw new Difference(`seats: ${record.seats}`);
  if (!Object.hasOwn(DECKS, record.options.deck ?? "third-edition")) throw new Difference("options: an unknown deck");
  record.entropy.forEach((item, place) =>
    check(item, { seat: "text", commitment: "text", revealed: "text or null" }, `entropy ${place + 1}`));
  check(record.deal, { deck: "list of texts", hands: "object", first: "text" }, "the deal");
  check(record.final, { table: "list of texts", sha256: "text" }, "final");
  record.moves.forEach((move, place) => check(move, { decision: "number", seat: "text" }, `move ${place + 1}`));
  record.events.forEach((event, place) => {
    const where = `event ${place + 1}`;
    check(event, { decision: "number", type: "text", facts: "object" }, where);
    check(event.facts, FACTS[event.type] ?? {}, `${where} (${event.type})`);
    if (event.type === "cards_drawn" && event.facts.count > 0) {
      check(event, { secrets: "object" }, where);
      check(event.secrets[event.facts.seat], { cards: "list of texts" }, `${where}, what ${event.facts.seat} drew`);
    }
  });
}

/** A record of schema 2 is of a game that somebody left before its end. */
function checkLeaving(record) {
  check(record, { resignations: "list", ended: "object" }, "the record");
  check(record.ended, { by: "text", after: "number" }, "ended");
  record.resignations.forEach((item, place) => check(item, { seat: "text", after: "number" }, `resignation ${place + 1}`));
}

const FACTS = {
  game_began: { first: "text", deck: "number" },
  bank_rolled: { dice: "list" },
  ran: { die: "number" },
  cards_drawn: { seat: "text", count: "number" },
  resigned: { seat: "text" },
};

/** Yields a line for each thing that was checked; throws a Difference at the first that does not hold. */
export function* verify(record) {
  checkForm(record);
  const seed = Buffer.from(record.seed, "hex");
  same(record.seed, hex(seed), "seed");
  same(record.commitment, hex(sha256(seed)), "commitment");
  yield "commitment: the SHA-256 of the seed";

  const seats = record.entropy.map(({ seat }) => seat);
  same(seats, [...LETTERS.slice(0, record.seats)].filter((letter) => seats.includes(letter)), "seats with entropy");
  for (const { seat, commitment, revealed } of record.entropy) {
    if (revealed !== null) same(commitment, hex(sha256(utf8(revealed))), `commitment of ${seat}`);
    yield `entropy of ${seat}: ${revealed === null ? "not revealed, left out" : "as it was committed to"}`;
  }

  const chance = new Chance(streamKey(seed, record.entropy));
  const { deck, hands, first } = deal(chance, record.seats, record.options);
  deck.forEach((card, place) => same(record.deal.deck[place], card, `card ${place + 1} of the deck`));
  same(record.deal.deck.length, deck.length, "cards of the deck");
  for (const seat of Object.keys(hands)) same(record.deal.hands[seat], hands[seat], `hand of ${seat}`);
  same(Object.keys(record.deal.hands).length, record.seats, "hands");
  same(record.deal.first, first, "first player");
  yield `deal: ${deck.length} cards, ${record.seats} hands, first player ${first}`;

  verifyMoves(record);
  yield* verifyLeaving(record);
  yield* verifyEvents(record, chance, deck, first);

  const lines = record.final.table.map((line) => `${line}\n`).join("");
  same(record.final.sha256, hex(sha256(utf8(lines))), "hash of the final table");
  same(record.final.table.at(-1), `words ${chance.words}`, "words of chance that were read");
  yield `words: ${chance.words} were read`;
}

/** Of the moves only what shows without the rules: their numbers, and whose each was by the first thing that came of it. */
function verifyMoves({ moves, events }) {
  const firstOf = new Map();
  for (const event of events) {
    if (!firstOf.has(event.decision)) firstOf.set(event.decision, event);
  }
  moves.forEach(({ decision, seat }, place) => {
    same(decision, place + 1, `number of move ${place + 1}`);
    const { seat: by, animal } = firstOf.get(decision)?.facts ?? {};
    const owner = by ?? animal?.[0]; // an animal is named by the seat whose it is
    if (owner !== undefined) same(seat, owner, `seat of move ${decision}`);
  });
  const last = events.reduce((most, { decision }) => Math.max(most, decision), 0);
  if (last > moves.length) throw new Difference(`an event tells of move ${last}, and there are ${moves.length} moves`);
}

/** Who resigned and how it ended are told twice: in a list of their own and as events. Neither follows from the chance. */
function* verifyLeaving({ moves, events, resignations = [], ended = { by: "rules", after: moves.length } }) {
  const told = events.filter(({ type }) => type === "resigned").map(({ decision, facts }) => [facts.seat, decision]);
  same(resignations.map(({ seat, after }) => [seat, after]), told, "resignations");
  same(ended.after, moves.length, "ended, after");
  same(ended.by === "cancellation", events.some(({ type }) => type === "game_cancelled"), "ended by cancellation");
  if (resignations.length > 0 || ended.by !== "rules") {
    yield `left: ${resignations.map(({ seat }) => seat).join(", ") || "nobody"} resigned; ended by ${ended.by}`;
  }
}

/** Every die in the order in which it was rolled, and every draw from the deck. */
function* verifyEvents(record, chance, deck, first) {
  let dice = 0;
  let top = record.seats * FIRST_HAND; // of the deck
  let draws = []; // of the turn that is ending
  record.events.forEach((event, index) => {
    const where = `event ${index + 1} (${event.type}) after move ${event.decision}`;
    const { facts } = event;
    if (event.type === "game_began") {
      same([facts.first, facts.deck], [first, deck.length - top], where);
    } else if (event.type === "bank_rolled") {
      same(facts.dice, facts.dice.map(() => chance.die()), where);
      dice += facts.dice.length;
    } else if (event.type === "ran") {
      same(facts.die, chance.die(), where);
      dice += 1;
    } else if (event.type === "cards_drawn") {
      draws.push({ seat: facts.seat, count: facts.count, told: event.secrets?.[facts.seat]?.cards ?? [], where });
    }
    if (event.type !== "cards_drawn" && draws.length > 0) {
      top = verifyDraw(draws, deck, top);
      draws = [];
    }
  });
  if ((record.ended?.by ?? "rules") === "rules") same(top, deck.length, "cards drawn by the end");
  yield `dice: ${dice}, in the order in which they were rolled`;
  yield `draws: ${top - record.seats * FIRST_HAND} cards, in the order of the deck`;
}

/** One card at a time, round and round, until all have theirs. */
function verifyDraw(draws, deck, top) {
  const hands = draws.map(() => []);
  for (let round = 0; draws.some(({ count }) => round < count); round += 1) {
    draws.forEach(({ count }, place) => {
      if (round < count) hands[place].push(deck[top++]);
    });
  }
  draws.forEach(({ told, where }, place) => same(told, sorted(hands[place]), where));
  return top;
}

// --- The test vectors ------------------------------------------------------------------------------------------------

/** Yields a line for each part of the vectors; throws a Difference where this program computes something else. */
export function* verifyVectors(vectors) {
  for (const { text, sha256: digest } of vectors.hashes) same(digest, hex(sha256(utf8(text))), "hashes");
  yield `hashes: ${vectors.hashes.length}`;
  for (const { seed, commitment, entropy, key } of vectors.keys) {
    same(commitment, hex(sha256(Buffer.from(seed, "hex"))), "keys, commitment");
    same(key, hex(streamKey(Buffer.from(seed, "hex"), entropy)), "keys");
  }
  yield `keys: ${vectors.keys.length}`;
  for (const { key, number, block } of vectors.blocks) {
    const message = Buffer.alloc(8);
    message.writeBigUInt64BE(BigInt(number));
    same(block, hex(hmac(Buffer.from(key, "hex"), message)), "blocks");
  }
  yield `blocks: ${vectors.blocks.length}`;
  for (const { key, below, draws, words } of vectors.draws) {
    const chance = new Chance(Buffer.from(key, "hex"));
    same(draws, draws.map(() => String(chance.below(BigInt(below)))), `draws below ${below}`);
    same(words, chance.words, `draws below ${below}, words`);
  }
  yield `draws: ${vectors.draws.length}`;
  for (const { seed, entropy, seats, options, deal: told, dice, words } of vectors.games) {
    const chance = new Chance(streamKey(Buffer.from(seed, "hex"), entropy));
    same(told, deal(chance, seats, options), "games");
    same(dice, dice.map(() => chance.die()), "games, dice");
    same(words, chance.words, "games, words");
  }
  yield `games: ${vectors.games.length}`;
}

const CHANCE_ONLY = 'verified: the chance only; whether the moves are legal is for "python -m engine verify"';

function main(args) {
  const vectors = args[0] === "--vectors";
  const file = args[vectors ? 1 : 0];
  if (file === undefined) {
    console.error("node verify.mjs RECORD.json, or node verify.mjs --vectors fairness-vectors.json");
    return 2;
  }
  try {
    const read = JSON.parse(readFileSync(file, "utf8"));
    for (const line of vectors ? verifyVectors(read) : verify(read)) console.log(`ok    ${line}`);
  } catch (error) {
    console.log(`FAILED ${error instanceof Difference ? error.message : `this cannot be read: ${error.message}`}`);
    return 1;
  }
  console.log(vectors ? "verified" : CHANCE_ONLY);
  return 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  process.exitCode = main(process.argv.slice(2));
}
