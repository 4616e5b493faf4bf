import { headers } from "@nats-io/transport-node";
import { AppError } from "@touchstone/service-kit";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Answering, Bus, Call } from "../src/index.ts";
import { timings } from "../src/timings.ts";
import { type BusWorld, eventually, rejection, requireLine, startBusWorld, untilConnected } from "./bus-world.ts";
import { weighText } from "./test-messages.ts";

const { drainWithinMs } = timings;

let world: BusWorld;
let requester: Bus;
let judge: Bus;
let otherJudge: Bus;
let members: Answering[] = [];

beforeAll(async () => {
  // A stopping member waits 25 s for work in progress; no test should.
  Object.assign(timings, { drainWithinMs: 300 });
  world = await startBusWorld();
  [requester, judge, otherJudge] = await Promise.all([
    world.open("eval-runs"),
    world.open("judge"),
    world.open("judge"),
  ]);
});
afterEach(async () => {
  await Promise.all(members.map((member) => member.stop()));
  members = [];
  world.logs.length = 0;
});
afterAll(async () => {
  await world?.close();
  Object.assign(timings, { drainWithinMs });
});

type Handler = (body: { text: string }, call: Call) => Promise<{ weight: number; by: string }>;

async function answer(bus: Bus, handler: Handler, concurrency = 4): Promise<Answering> {
  const member = await bus.answer(weighText, handler, { concurrency });
  members.push(member);
  return member;
}

const weighAs =
  (by: string): Handler =>
  async ({ text }) => ({ weight: text.length, by });

/** A handler that waits for its signal, or for `release`. */
function blockingHandler(by = "blocked") {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const calls: Call[] = [];
  const handler: Handler = async ({ text }, call) => {
    calls.push(call);
    await Promise.race([promise, new Promise((resolve) => call.signal.addEventListener("abort", resolve))]);
    return { weight: text.length, by };
  };
  return { handler, release, calls };
}

const ask = (text: string, timeoutMs = 20_000, signal?: AbortSignal) =>
  requester.request(weighText, { text }, { timeoutMs, signal });

describe("a request", () => {
  test("is answered by a member of the queue group, which gets its deadline", async () => {
    const calls: Call[] = [];
    await answer(judge, async ({ text }, call) => {
      calls.push(call);
      return { weight: text.length, by: "judge" };
    });
    const askedAtMs = Date.now();
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const reply = await requester.request(weighText, { text: "feather" }, { timeoutMs: 9_000, traceparent });
    expect(reply).toEqual({ weight: 7, by: "judge" });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.traceparent).toBe(traceparent);
    expect(calls[0]?.deadlineAtMs).toBeGreaterThanOrEqual(askedAtMs + 9_000);
    expect(calls[0]?.deadlineAtMs).toBeLessThanOrEqual(Date.now() + 9_000);
  });

  test("goes to one member only, and every member gets some", async () => {
    await Promise.all([answer(judge, weighAs("one"), 200), answer(otherJudge, weighAs("other"), 200)]);
    const replies = await Promise.all(Array.from({ length: 100 }, () => ask("x")));
    expect(new Set(replies.map(({ by }) => by))).toEqual(new Set(["one", "other"]));
    const answered = () => world.logs.filter(({ text }) => text === "bus request answered");
    await eventually(() => expect(answered()).toHaveLength(100));
  });

  test("needs a timeout, which may be a fraction of a millisecond", async () => {
    await answer(judge, weighAs("judge"));
    expect(await ask("x", 5_000.123)).toMatchObject({ by: "judge" });
    await expect(ask("x", Number.POSITIVE_INFINITY)).rejects.toThrow(RangeError);
  });

  test("with a body that does not match its contract is refused by the requester", async () => {
    await answer(judge, weighAs("judge"));
    const error = await rejection(requester.request(weighText, { text: 7 } as never, { timeoutMs: 1_000 }));
    expect(error).toBeInstanceOf(z.ZodError);
  });

  test("to a service that the contract does not name is a program error", async () => {
    await expect(judge.request(weighText, { text: "x" }, { timeoutMs: 1_000 })).rejects.toThrow(/may ask/);
    await expect(requester.answer(weighText, weighAs("x"), { concurrency: 1 })).rejects.toThrow(/does not answer/);
  });

  test("that its caller gives up is cancelled at the member", async () => {
    const { handler, calls } = blockingHandler();
    await answer(judge, handler);
    const caller = new AbortController();
    const asked = rejection(ask("x", 20_000, caller.signal));
    await eventually(() => expect(calls).toHaveLength(1));
    const reason = new Error("no longer needed");
    caller.abort(reason);
    expect(await asked).toBe(reason);
    await eventually(() => expect(calls[0]?.signal.aborted).toBe(true));
  });
});

describe("a failing handler", () => {
  test("sends an expected error as code, public message and delay, and never its cause", async () => {
    await answer(judge, async () => {
      throw new AppError("rate_limited", "Ask later", { retryAfterSeconds: 7, cause: new Error("secret detail") });
    });
    const error = await rejection(ask("x"));
    expect(error).toMatchObject({ kind: "failed", code: "rate_limited", message: "Ask later", retryAfterSeconds: 7 });
    expect(JSON.stringify(error) + String((error as Error).cause)).not.toContain("secret");
  });

  test("sends only the occurrence of a bug, and logs it where it happened", async () => {
    await answer(judge, async () => {
      throw new TypeError("secret detail");
    });
    const error = await rejection(ask("x"));
    expect(error).toMatchObject({ kind: "failed", code: "internal", message: "Internal error" });
    expect((error as Error).cause).toBeUndefined();
    await eventually(() =>
      expect(world.logs.find(({ level }) => level === "error")?.fields.err).toBeInstanceOf(TypeError),
    );
  });

  test("includes a reply that does not match the contract", async () => {
    await answer(judge, async () => ({ weight: "heavy" }) as never);
    expect(await rejection(ask("x"))).toMatchObject({ kind: "failed", code: "internal" });
  });

  test("of another version, whose reply the requester cannot read, is an invalid reply", async () => {
    const older = { ...weighText, reply: z.object({ grams: z.number() }) };
    members.push(await judge.answer(older, async () => ({ grams: 3 }), { concurrency: 1 }));
    expect(await rejection(ask("x"))).toMatchObject({ kind: "invalid_reply" });
  });
});

describe("a request that no member can answer", () => {
  test("fails at once where it is too large, with both sizes", async () => {
    const limit = requester.maxPayloadBytes() ?? 0;
    const error = await rejection(ask("x".repeat(limit)));
    expect(error).toMatchObject({ kind: "too_large", limit });
    expect((error as { bytes: number }).bytes).toBeGreaterThan(limit);
  });

  test("reports that its reply was too large, instead of silence", async () => {
    const limit = requester.maxPayloadBytes() ?? 0;
    await answer(judge, async () => ({ weight: 1, by: "x".repeat(limit) }));
    expect(await rejection(ask("x"))).toMatchObject({ kind: "too_large", limit });
  });

  test("is sent if it fits exactly", async () => {
    await answer(judge, weighAs("judge"));
    const length = (requester.maxPayloadBytes() ?? 0) - 300;
    expect(await ask("x".repeat(length))).toEqual({ weight: length, by: "judge" });
  });

  test("ends with no responder after a short grace period", async () => {
    expect(await rejection(ask("x", 30_000))).toMatchObject({ kind: "no_responder" });
  });

  test("ends at once for a requester with no grace period", async () => {
    const { nobodyGraceMs } = timings;
    Object.assign(timings, { nobodyGraceMs: 600_000 });
    onTestFinished(() => void Object.assign(timings, { nobodyGraceMs }));
    const asked = requester.request(weighText, { text: "x" }, { timeoutMs: 600_000, nobodyGraceMs: 0 });
    expect(await rejection(asked)).toMatchObject({ kind: "no_responder" });
  });

  test("is answered by a member that starts within the grace period", async () => {
    const asked = ask("patience");
    await answer(judge, weighAs("late"));
    expect(await asked).toEqual({ weight: 8, by: "late" });
  });

  test("ends at its timeout, and the member stops", async () => {
    const { handler, calls } = blockingHandler();
    await answer(judge, handler);
    expect(await rejection(ask("x", 700))).toMatchObject({ kind: "timeout" });
    await eventually(() => expect(calls[0]?.signal.aborted).toBe(true));
  });

  test("ends busy when every slot is taken until the timeout", async () => {
    const { handler, release } = blockingHandler();
    await answer(judge, handler, 1);
    const first = ask("first");
    await eventually(async () => expect(await rejection(ask("second", 400))).toMatchObject({ kind: "busy" }));
    release();
    expect(await first).toMatchObject({ by: "blocked" });
  });

  test("waits for a free slot until its timeout", async () => {
    const { handler, release, calls } = blockingHandler();
    await answer(judge, handler, 1);
    const first = ask("first");
    await eventually(() => expect(calls).toHaveLength(1));
    const second = ask("second");
    release();
    expect(await Promise.all([first, second])).toHaveLength(2);
    expect(calls).toHaveLength(2);
  });

  test("moves on from a busy member to a free one", async () => {
    const { handler, release, calls } = blockingHandler();
    await answer(judge, handler, 1);
    const first = ask("first");
    await eventually(() => expect(calls).toHaveLength(1));
    await answer(otherJudge, weighAs("free"));
    expect(await ask("second")).toMatchObject({ by: "free" });
    release();
    await first;
  });

  test("is dropped by a member that reads it after its deadline", async () => {
    const calls: Call[] = [];
    await answer(judge, async (_, call) => {
      calls.push(call);
      return { weight: 0, by: "judge" };
    });
    const client = await world.bareClient("eval-runs");
    const inbox = client.subscribe("_INBOX.eval-runs.reply.test.late.1", { max: 1 });
    const late = headers();
    late.set("Touchstone-Request-Id", "late");
    late.set("Touchstone-Deadline-Ms", String(Date.now() - 1));
    client.publish(weighText.subject, JSON.stringify({ text: "x" }), { headers: late, reply: inbox.getSubject() });
    for await (const reply of inbox) expect(reply.headers?.get("Touchstone-Signal")).toBe("expired");
    expect(calls).toEqual([]);
  });
});

describe("a member that disappears", () => {
  test("killed during a request is noticed within five seconds and another takes over, under the same request id", async () => {
    const doomed = await world.spawnProcess("answer", "judge");
    const asked = ask("inheritance", 30_000);
    const accepted = await eventually(() => requireLine(doomed.lines, "accepted"));
    let takenOverAtMs = 0;
    const calls: Call[] = [];
    await answer(judge, async ({ text }, call) => {
      takenOverAtMs = Date.now();
      calls.push(call);
      return { weight: text.length, by: "heir" };
    });
    const killedAtMs = Date.now();
    doomed.child.kill("SIGKILL");
    expect(await asked).toEqual({ weight: 11, by: "heir" });
    expect(accepted).toBe(`accepted ${calls[0]?.requestId}`);
    // Five seconds, and one for a busy machine.
    expect(takenOverAtMs - killedAtMs).toBeLessThan(6_000);
  });

  test("frozen during a request is replaced, and cancelled when it resumes", async () => {
    const frozen = await world.spawnProcess("answer", "judge");
    const asked = ask("x", 30_000);
    await eventually(() => requireLine(frozen.lines, "accepted"));
    frozen.child.kill("SIGSTOP");
    await answer(judge, weighAs("heir"));
    // The server may still send it requests: each is asked again after two seconds.
    expect(await asked).toMatchObject({ by: "heir" });
    frozen.child.kill("SIGCONT");
    await eventually(() => requireLine(frozen.lines, "aborted the requester gave up"));
    frozen.child.kill("SIGKILL");
  });

  test("hands unfinished requests back when it stops, and another takes them at once", async () => {
    const { handler, calls } = blockingHandler();
    const leaving = await answer(judge, async (body, call) => {
      await handler(body, call);
      throw new Error("stopped in the middle");
    });
    const asked = ask("x");
    await eventually(() => expect(calls).toHaveLength(1));
    await answer(otherJudge, weighAs("heir"));
    await leaving.stop();
    expect(await asked).toMatchObject({ by: "heir" });
    // Not because of its silence, which takes four seconds.
    expect(world.logs.filter(({ fields }) => fields.state === "working")).toEqual([]);
  });

  test("finishes what it can when it stops", async () => {
    const { handler, release, calls } = blockingHandler("last words");
    const leaving = await answer(judge, handler);
    const asked = ask("x");
    await eventually(() => expect(calls).toHaveLength(1));
    const stopped = leaving.stop();
    release();
    await stopped;
    expect(await asked).toMatchObject({ by: "last words" });
  });

  test("notices that its requester was killed", async () => {
    const { handler, calls } = blockingHandler();
    await answer(judge, handler);
    const requesting = await world.spawnProcess("ask", "eval-runs");
    await eventually(() => expect(calls).toHaveLength(1));
    requesting.child.kill("SIGKILL");
    await eventually(() => expect(calls[0]?.signal.reason).toMatchObject({ message: "the requester is gone" }));
  });
});

describe("NATS", () => {
  test("restarted in the middle of a request loses neither the request nor the answer", async () => {
    const { handler, release, calls } = blockingHandler("survivor");
    await answer(judge, handler);
    const asked = ask("x", 30_000);
    await eventually(() => expect(calls).toHaveLength(1));
    await world.nats.kill("SIGKILL");
    release();
    await world.nats.restart();
    expect(await asked).toMatchObject({ by: "survivor" });
    expect(calls).toHaveLength(1);
    await Promise.all([requester, judge, otherJudge].map(untilConnected));
  });

  test("killed while an answer is on its way loses neither", async () => {
    const { handler, release, calls } = blockingHandler("survivor");
    await answer(judge, handler);
    const asked = ask("x", 30_000);
    await eventually(() => expect(calls).toHaveLength(1));
    await world.nats.kill("SIGSTOP");
    release();
    await new Promise((resolve) => setImmediate(resolve));
    await world.nats.kill("SIGKILL");
    await world.nats.restart();
    expect(await asked).toMatchObject({ by: "survivor" });
    expect(calls).toHaveLength(1);
    await Promise.all([requester, judge, otherJudge].map(untilConnected));
  });

  test("unavailable makes every call fail at once, and works again without help when it is back", async () => {
    await answer(judge, weighAs("back"));
    await world.nats.kill("SIGKILL");
    await eventually(() => expect(requester.status()).toBe("disconnected"));
    expect(requester.maxPayloadBytes()).toBeNull();
    expect(await rejection(ask("x", 60_000))).toMatchObject({ kind: "disconnected" });
    await world.nats.restart();
    await Promise.all([requester, judge, otherJudge].map(untilConnected));
    expect(await ask("x")).toMatchObject({ by: "back" });
  });

  test("that stays unavailable fails open requests", async () => {
    const { handler, calls } = blockingHandler();
    await answer(judge, handler);
    const asked = rejection(ask("x", 60_000));
    await eventually(() => expect(calls).toHaveLength(1));
    await world.nats.kill("SIGKILL");
    expect(await asked).toMatchObject({ kind: "disconnected" });
    await world.nats.restart();
    await Promise.all([requester, judge, otherJudge].map(untilConnected));
  });

  test("unavailable at the start is waited for, and subscriptions made without it work", async () => {
    await world.nats.kill("SIGKILL");
    const early = world.openUnconnected("judge");
    await answer(early, weighAs("early"));
    expect(early.status()).toBe("disconnected");
    await world.nats.restart();
    await Promise.all([requester, judge, otherJudge, early].map(untilConnected));
    expect(await ask("x")).toMatchObject({ by: "early" });
  });

  test("frozen is noticed, and used again when it resumes", async () => {
    await answer(judge, weighAs("thawed"));
    await world.nats.kill("SIGSTOP");
    // More than the socket buffers, so that even a graceful close would have to wait for the server.
    const asked = Array.from({ length: 8 }, () => rejection(ask("x".repeat(4_000_000), 1_500)));
    for (const error of await Promise.all(asked)) expect(error).toMatchObject({ kind: "timeout" });
    await eventually(() => expect(requester.status()).toBe("disconnected"));
    await world.nats.kill("SIGCONT");
    await Promise.all([requester, judge, otherJudge].map(untilConnected));
    expect(await ask("x")).toMatchObject({ by: "thawed" });
  });
});
