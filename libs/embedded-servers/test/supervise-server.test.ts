import { expect, test } from "vitest";
import { EmbeddedServerError, type EmbeddedServerErrorCode } from "../src/embedded-server-error.ts";
import type { ProcessExit, ServerProcess } from "../src/server-process.ts";
import { type ServerEvent, superviseServer } from "../src/supervise-server.ts";

/** A server that exists only in this test, and dies when told. */
function fakeServer(pid: number): ServerProcess & { die: () => void } {
  const { promise, resolve } = Promise.withResolvers<ProcessExit>();
  const die = () => resolve({ code: 1, signal: null });
  return { pid, exited: promise, signal: die, die };
}

const limits = { firstDelayMs: 1, delayMaxMs: 4, quickFailuresMax: 3, stableAfterMs: 60_000 };
const failure = (code: EmbeddedServerErrorCode) => new EmbeddedServerError(code, "It failed.", { hint: "Try again." });

function supervise(
  first: ServerProcess,
  launch: (abort: AbortSignal) => Promise<ServerProcess>,
  options: Partial<typeof limits> = {},
) {
  const events: ServerEvent[] = [];
  const supervised = superviseServer({
    name: "PostgreSQL",
    logFile: "/logs/postgres.log",
    first,
    launch,
    stopProcess: async (server) => {
      server.signal("SIGTERM");
      await server.exited;
    },
    onEvent: (event) => events.push(event),
    limits: { ...limits, ...options },
  });
  return { supervised, events };
}

test("delays double up to their bound, and the last try's reason is the reason of giving up", async () => {
  const first = fakeServer(1);
  const { supervised, events } = supervise(first, () => Promise.reject(failure("data_damaged")), {
    quickFailuresMax: 5,
  });
  first.die();
  expect(await supervised.exited).toMatchObject({ kind: "gave_up", error: { code: "data_damaged" } });
  expect(events.map((event) => ("restartInMs" in event ? event.restartInMs : event.kind))).toEqual([
    1,
    2,
    4,
    4,
    4,
    "gave_up",
  ]);
});

test("a server that starts each time but keeps dying is given up too", async () => {
  const first = fakeServer(1);
  let launches = 0;
  const { supervised } = supervise(first, async () => {
    launches += 1;
    const next = fakeServer(launches + 1);
    queueMicrotask(next.die);
    return next;
  });
  first.die();
  expect(await supervised.exited).toMatchObject({
    kind: "gave_up",
    error: { code: "server_failed", message: "PostgreSQL keeps dying (code 1).", hint: "/logs/postgres.log says why." },
  });
  expect(launches).toBe(3);
});

test("a full disk is waited for, however long", async () => {
  const first = fakeServer(1);
  let launches = 0;
  const { supervised, events } = supervise(first, async () => {
    launches += 1;
    if (launches <= 20) throw failure("disk_full");
    return fakeServer(2);
  });
  first.die();
  while (supervised.pid !== 2) await new Promise(setImmediate);
  await supervised.stop();
  expect(await supervised.exited).toEqual({ kind: "stopped" });
  expect(events.at(-1)).toMatchObject({ kind: "restarted", pid: 2 });
});

test("a death after a long healthy time starts counting anew", async () => {
  const first = fakeServer(1);
  let launches = 0;
  const { supervised } = supervise(
    first,
    async () => {
      launches += 1;
      const next = fakeServer(launches + 1);
      if (launches < 50) queueMicrotask(next.die);
      return next;
    },
    { stableAfterMs: 0 },
  );
  first.die();
  while (launches < 50) await new Promise(setImmediate);
  await supervised.stop();
  expect(await supervised.exited).toEqual({ kind: "stopped" });
});

test("stopping in the midst of a start stops what is being started", async () => {
  const first = fakeServer(1);
  const second = fakeServer(2);
  const launching = Promise.withResolvers<void>();
  const { supervised, events } = supervise(first, (abort) => {
    launching.resolve();
    return new Promise((resolve) => abort.addEventListener("abort", () => resolve(second)));
  });
  first.die();
  await launching.promise;
  await supervised.stop();
  expect(await supervised.exited).toEqual({ kind: "stopped" });
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(events.map((event) => event.kind)).toEqual(["died"]);
});
