import { createScriptedClock } from "@touchstone/testkit";
import { describe, expect, test } from "vitest";
import { type AnsweredKeys, createProjectKeysReader, KeysUnavailableError } from "../../src/providers/project-keys.ts";
import { letTimePass } from "./judge-setup.ts";

function setUp() {
  const clock = createScriptedClock();
  let answer: () => Promise<AnsweredKeys> = async () => keysOf("first");
  const asked: string[] = [];
  const reader = createProjectKeysReader({
    ask: (projectId) => {
      asked.push(projectId);
      return answer();
    },
    clock,
    sleep: clock.sleep,
  });
  const call = (deadlineMs = 30_000, group = "a") => ({
    group,
    signal: new AbortController().signal,
    deadlineAtMs: clock.now() + deadlineMs,
  });
  return {
    clock,
    asked,
    reader,
    call,
    key: async (group?: string) => (await reader.read(call(30_000, group), { waits: false })).keys.openai?.reveal(),
    answerWith(script: () => Promise<AnsweredKeys>) {
      answer = script;
    },
  };
}

const keysOf = (openai: string | null): AnsweredKeys => ({
  organizationId: null,
  isTenant: false,
  keys: { openai, gemini: null, anthropic: null },
  platformModel: null,
  models: [],
  prices: [],
});
const away = async (): Promise<AnsweredKeys> => {
  throw new Error("auth is away");
};

describe("auth's answer about a project's keys", () => {
  test("is asked once for all who wait, remembered for 2 s, and for this project alone", async () => {
    const { asked, key, clock, answerWith } = setUp();
    expect(await Promise.all([key(), key(), key()])).toEqual(["first", "first", "first"]);
    answerWith(async () => keysOf("second"));
    await clock.advance(1_999);
    expect(await key()).toBe("first");
    expect(await key("b")).toBe("second");
    await clock.advance(1);
    expect(await key()).toBe("second");
    expect(asked).toEqual(["a", "b", "a"]);
  });

  test("are cached for a minute while auth is unavailable, so that not every call asks it", async () => {
    const { asked, key, clock, answerWith } = setUp();
    await key();
    answerWith(away);
    await clock.advance(59_000);
    expect([await key(), await key(), await key()]).toEqual(["first", "first", "first"]);
    expect(asked).toHaveLength(2);
    await clock.advance(1_000);
    await expect(key()).rejects.toThrow(KeysUnavailableError);
  });

  test("is waited for until shortly before the deadline, and no longer", async () => {
    const { asked, reader, clock, call, answerWith } = setUp();
    answerWith(away);
    const waiting = reader.read(call(10_000));
    waiting.catch(() => undefined);
    await clock.advance(3_000);
    answerWith(async () => keysOf("back"));
    expect((await letTimePass(clock, waiting)).keys.openai?.reveal()).toBe("back");

    answerWith(away);
    const startedAtMs = clock.now();
    await expect(letTimePass(clock, reader.read(call(10_000, "b")))).rejects.toThrow(KeysUnavailableError);
    expect(clock.now() - startedAtMs).toBeLessThanOrEqual(9_000);
    expect(asked.length).toBeLessThan(40);
  });

  test("is asked for again where the answer is older than the caller takes", async () => {
    const { reader, clock, call, answerWith } = setUp();
    await reader.read(call());
    answerWith(async () => keysOf("second"));
    await clock.advance(300);
    const { keys } = await reader.read(call(), { maxAgeMs: 250 });
    expect(keys.openai?.reveal()).toBe("second");
    expect(JSON.stringify(keys)).not.toContain("second");
  });
});

test("without auth no keys are stored, and only those of the environment are used", async () => {
  const clock = createScriptedClock();
  const reader = createProjectKeysReader({ ask: null, clock, sleep: clock.sleep });
  const call = { group: "a", signal: new AbortController().signal, deadlineAtMs: 0 };
  expect(await reader.read(call)).toEqual({
    organizationId: null,
    isTenant: false,
    keys: { openai: null, gemini: null, anthropic: null },
    platformModel: null,
    models: [],
    findPrice: expect.any(Function),
  });
});
