import { completeProjectKey } from "@touchstone/service-kit";
import { createScriptedClock, type ScriptedClock } from "@touchstone/testkit";
import { beforeEach, expect, test } from "vitest";
import { createKeyCache, type KeyCache, type KeyOwner } from "../src/credentials/key-cache.ts";

const key = completeProjectKey("0123456789abcdefghijABCDEFGHIJxy");
const owner: KeyOwner = { projectId: "00000000-0000-7000-8000-000000000001", organizationId: null };

let clock: ScriptedClock;
let cache: KeyCache;
/** The keys that auth was asked for, and its answers. */
let asked: string[];
let answer: (apiKey: string) => Promise<KeyOwner | null>;

beforeEach(() => {
  clock = createScriptedClock();
  asked = [];
  answer = async (apiKey) => (apiKey === key ? owner : null);
  cache = createKeyCache({
    clock,
    lookUp: (apiKey) => {
      asked.push(apiKey);
      return answer(apiKey);
    },
    entriesMax: 3,
  });
});

const away = async (): Promise<never> => {
  throw new Error("connection refused");
};
const keyOf = (number: number): string => completeProjectKey(String(number).padStart(32, "0"));

/** An answer of auth that arrives on command. */
function holdAnswers(): { answerWith: (result: KeyOwner | null) => void; failAll: () => void } {
  const waiting: PromiseWithResolvers<KeyOwner | null>[] = [];
  answer = () => {
    const held = Promise.withResolvers<KeyOwner | null>();
    waiting.push(held);
    return held.promise;
  };
  return {
    answerWith: (result) => {
      for (const held of waiting.splice(0)) held.resolve(result);
    },
    failAll: () => {
      for (const held of waiting.splice(0)) held.reject(new Error("connection reset"));
    },
  };
}

test("a text that is no key is refused, and auth is not asked", async () => {
  for (const text of ["", "tsk_", `${key} `, key.slice(0, -1), "x".repeat(100_000)]) {
    expect(await cache.resolve(text)).toBeNull();
  }
  expect(asked).toEqual([]);
});

test("a known key is asked for again after 5 s, and not before", async () => {
  expect(await cache.resolve(key)).toEqual(owner);
  await clock.advance(4_999);
  expect(await cache.resolve(key)).toEqual(owner);
  expect(asked).toHaveLength(1);

  await clock.advance(1);
  expect(await cache.resolve(key)).toEqual(owner);
  expect(asked).toHaveLength(2);
});

test("the 5 s count from the question: a slow answer does not prolong a revoked key", async () => {
  const held = holdAnswers();
  const resolving = cache.resolve(key);
  await clock.advance(4_000);
  held.answerWith(owner);
  expect(await resolving).toEqual(owner);

  answer = async () => null;
  await clock.advance(1_000);

  expect(await cache.resolve(key)).toBeNull();
});

test("an unknown key is asked for once in a second, so that a new key works soon", async () => {
  const late = keyOf(1);
  expect(await cache.resolve(late)).toBeNull();
  answer = async () => owner;
  await clock.advance(999);
  expect(await cache.resolve(late)).toBeNull();
  expect(asked).toHaveLength(1);

  await clock.advance(1);
  expect(await cache.resolve(late)).toEqual(owner);
});

test("a hundred concurrent requests with one key ask auth once", async () => {
  const held = holdAnswers();
  const resolving = Array.from({ length: 100 }, () => cache.resolve(key));
  held.answerWith(owner);

  expect(new Set(await Promise.all(resolving))).toEqual(new Set([owner]));
  expect(asked).toHaveLength(1);
});

test("a revoked key stops working at once", async () => {
  await cache.resolve(key);
  answer = async () => null;

  cache.forgetProjects([owner.projectId]);

  expect(await cache.resolve(key)).toBeNull();
});

test("a request after a revocation does not wait for an answer that was requested before it", async () => {
  const held = holdAnswers();
  const before = cache.resolve(key);
  cache.forgetProjects([owner.projectId]);
  answer = async () => null;

  expect(await cache.resolve(key)).toBeNull();
  held.answerWith(owner);
  expect(await before).toEqual(owner);
  expect(await cache.resolve(key)).toBeNull();
});

test("the revocation of one project leaves the others' keys cached", async () => {
  await cache.resolve(key);

  cache.forgetProjects(["00000000-0000-7000-8000-000000000002"]);

  await cache.resolve(key);
  expect(asked).toHaveLength(1);
});

test("an answer that was on its way during a revocation is not kept", async () => {
  const held = holdAnswers();
  const resolving = cache.resolve(key);
  cache.forgetProjects([owner.projectId]);
  held.answerWith(owner);
  expect(await resolving).toEqual(owner);

  answer = async () => null;

  expect(await cache.resolve(key)).toBeNull();
});

test("without auth a key seen within the last minute still works, then it is 503 and never 401", async () => {
  await cache.resolve(key);
  answer = away;

  for (const afterMs of [5_000, 25_000, 29_999]) {
    await clock.advance(afterMs);
    expect(await cache.resolve(key)).toEqual(owner);
  }
  await clock.advance(1);
  await expect(cache.resolve(key)).rejects.toMatchObject({ code: "service_unavailable" });
});

test("without auth a key that was never seen is 503, not 401", async () => {
  answer = away;

  await expect(cache.resolve(key)).rejects.toMatchObject({ code: "service_unavailable" });
  expect(await cache.resolve("no key at all")).toBeNull();
});

test("once auth is known to be unavailable no request waits for it: it is tried in the background, four times a second", async () => {
  await cache.resolve(key);
  answer = away;
  await clock.advance(5_000);
  await cache.resolve(key);
  expect(asked).toHaveLength(2);
  const held = holdAnswers();

  for (let request = 0; request < 50; request += 1) expect(await cache.resolve(key)).toEqual(owner);
  expect(asked).toHaveLength(2);
  await clock.advance(250);
  for (let request = 0; request < 50; request += 1) expect(await cache.resolve(key)).toEqual(owner);

  expect(asked).toHaveLength(3);
  held.answerWith(owner);
});

test("a key that was revoked while auth was unavailable stops when auth is back", async () => {
  await cache.resolve(key);
  answer = away;
  await clock.advance(30_000);
  await cache.resolve(key);
  answer = async () => null;
  await clock.advance(250);

  expect(await cache.resolve(key)).toEqual(owner);
  await clock.advance(0);

  expect(await cache.resolve(key)).toBeNull();
});

test("a key that was revoked while auth could not be asked does not work on", async () => {
  await cache.resolve(key);
  await clock.advance(5_000);
  const held = holdAnswers();
  const resolving = cache.resolve(key);

  cache.forgetProjects([owner.projectId]);
  held.failAll();

  await expect(resolving).rejects.toMatchObject({ code: "service_unavailable" });
});

test("a fresh answer is asked for whatever is cached", async () => {
  await cache.resolve(key);
  answer = async () => null;

  expect(await cache.resolve(key)).toEqual(owner);
  expect(await cache.resolve(key, { fresh: true })).toBeNull();
  expect(await cache.resolve(key)).toBeNull();
});

test("a clock that was set back does not keep a key alive", async () => {
  await cache.resolve(key);
  answer = async () => null;

  await clock.advance(-60_000);

  expect(await cache.resolve(key)).toBeNull();
});

test("the least recently used key is forgotten first, and strangers push out no known key", async () => {
  answer = async (apiKey) => (Number(apiKey.slice(4, 36)) < 10 ? owner : null);
  for (const number of [1, 2, 3]) await cache.resolve(keyOf(number));
  await cache.resolve(keyOf(1));
  for (const number of [11, 12, 13, 14]) await cache.resolve(keyOf(number));
  asked = [];

  await cache.resolve(keyOf(4));
  for (const number of [1, 3]) await cache.resolve(keyOf(number));
  expect(asked).toEqual([keyOf(4)]);
  await cache.resolve(keyOf(2));
  expect(asked).toEqual([keyOf(4), keyOf(2)]);
});
