import type { ResolvedSession } from "@touchstone/contracts";
import { createScriptedClock, type ScriptedClock } from "@touchstone/testkit";
import { beforeEach, expect, test } from "vitest";
import { createSessionCache, type SessionCache } from "../src/credentials/session-cache.ts";

const ada: ResolvedSession = { userId: "ada", memberships: [], projects: [] };
const grace: ResolvedSession = { userId: "grace", memberships: [], projects: [] };

let clock: ScriptedClock;
let cache: SessionCache;
let asked: string[];
let answer: (cookie: string) => Promise<ResolvedSession | null>;

beforeEach(() => {
  clock = createScriptedClock();
  asked = [];
  answer = async (cookie) => (cookie.startsWith("ada") ? ada : grace);
  cache = createSessionCache({
    clock,
    lookUp: (cookie) => {
      asked.push(cookie);
      return answer(cookie);
    },
  });
});

test("a session's access is loaded again after 5 s: the longest that a removed member is cached", async () => {
  await cache.resolve("ada-1");
  await clock.advance(4_999);
  expect(await cache.resolve("ada-1")).toBe(ada);
  expect(asked).toHaveLength(1);

  answer = async () => grace;
  await clock.advance(1);
  expect(await cache.resolve("ada-1")).toBe(grace);
});

test("users are removed with all their sessions, and no others are", async () => {
  for (const cookie of ["ada-1", "ada-2", "grace-1"]) await cache.resolve(cookie);

  cache.forgetUsers(["ada"]);
  for (const cookie of ["ada-1", "ada-2", "grace-1"]) await cache.resolve(cookie);

  expect(asked).toEqual(["ada-1", "ada-2", "grace-1", "ada-1", "ada-2"]);
});

test("an answer that was on its way when a user was forgotten is not remembered, nor waited for", async () => {
  const held = Promise.withResolvers<ResolvedSession | null>();
  answer = () => held.promise;
  const early = cache.resolve("ada-1");

  cache.forgetUsers(["ada"]);
  answer = async () => grace;
  expect(await cache.resolve("ada-1")).toBe(grace);
  held.resolve(ada);
  await early;

  expect(await cache.resolve("ada-1")).toBe(grace);
});
