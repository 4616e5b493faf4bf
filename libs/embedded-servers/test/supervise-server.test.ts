import { expect, test } from "vitest";
import { EmbeddedServerError, type EmbeddedServerErrorCode } from "../src/embedded-server-error.ts";
import type { ProcessExit, ServerProcess } from "../src/server-process.ts";
import { type ServerEvent, superviseServer } from "../src/supervise-server.ts";

/** A fake server that dies on command. */
function fakeServer(pid: number): ServerProcess & { die: () => void } {
  const { promise, resolve } = Promise.withResolvers<ProcessExit>();
  const die = () => resolve({ code: 1, signal: null });
  return { pid, exited: promise, signal: die, die };
}

const limits = { firstDelayMs: 1, delayMaxMs: 4, stableAfterMs: 60_000 };
const failure = (code: EmbeddedServerErrorCode) => new EmbeddedServerError(code, "It failed.", { hint: "Try again." });

function supervise(
  first: ServerProcess,
  launch: (abort: AbortSignal) => Promise<ServerProcess>,
  options: Partial<typeof limits> = {},
) {
  const events: ServerEvent[] = [];
  const supervised = superviseServer({
    name: "PostgreSQL",
    first,
    launch,
    stopProcess: async (server) => {
      server.signal("SIGTERM");
      await server.exited;
    },
    explainEnd: async ({ code }) =>
      new EmbeddedServerError("server_failed", `PostgreSQL ended (code ${code}).`, { hint: "The log says more." }),
    onEvent: (event) => events.push(event),
    limits: { ...limits, ...options },
  });
  return { supervised, events };
}

test("a server that cannot be started is tried without limit, whatever the reason, and each failure is reported", async () => {
  const first = fakeServer(1);
  const reasons: EmbeddedServerErrorCode[] = ["disk_full", "no_permission", "data_of_another_version", "port_in_use"];
  let launches = 0;
  const { supervised, events } = supervise(first, async () => {
    launches += 1;
    if (launches <= 40) throw failure(reasons[launches % 4] as EmbeddedServerErrorCode);
    return fakeServer(2);
  });
  first.die();
  while (supervised.pid !== 2) await new Promise(setImmediate);
  await supervised.stop();
  expect(events).toMatchObject([
    { kind: "died", error: { message: "PostgreSQL ended (code 1)." } },
    ...Array.from({ length: 40 }, (_, n) => ({ kind: "restart_failed", error: { code: reasons[(n + 1) % 4] } })),
    { kind: "restarted", pid: 2 },
  ]);
});

test("a server that starts each time but keeps dying is restarted each time", async () => {
  const first = fakeServer(1);
  let launches = 0;
  const { supervised, events } = supervise(first, async () => {
    launches += 1;
    const next = fakeServer(launches + 1);
    if (launches < 40) queueMicrotask(next.die);
    return next;
  });
  first.die();
  while (launches < 40) await new Promise(setImmediate);
  await supervised.stop();
  expect(events.filter(({ kind }) => kind === "died")).toHaveLength(40);
});

test("delays double up to their bound, and each is random within its second half", async () => {
  const first = fakeServer(1);
  const { supervised, events } = supervise(first, async () => {
    if (events.length < 6) throw failure("disk_full");
    return fakeServer(2);
  });
  first.die();
  while (supervised.pid !== 2) await new Promise(setImmediate);
  await supervised.stop();
  const delays = events.flatMap((event) => ("restartInMs" in event ? [event.restartInMs] : []));
  expect(delays).toHaveLength(6);
  for (const [n, wholeMs] of [1, 2, 4, 4, 4, 4].entries()) {
    expect(delays[n]).toBeGreaterThanOrEqual(wholeMs / 2);
    expect(delays[n]).toBeLessThanOrEqual(wholeMs);
  }
});

test("after a long healthy time the first delay is the first one again", async () => {
  const first = fakeServer(1);
  let launches = 0;
  const { supervised, events } = supervise(
    first,
    async () => {
      launches += 1;
      const next = fakeServer(launches + 1);
      if (launches < 10) queueMicrotask(next.die);
      return next;
    },
    { stableAfterMs: 0 },
  );
  first.die();
  while (launches < 10) await new Promise(setImmediate);
  await supervised.stop();
  for (const event of events) if ("restartInMs" in event) expect(event.restartInMs).toBeLessThanOrEqual(1);
});

test("a stop during a start stops the starting server", async () => {
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
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(events.map((event) => event.kind)).toEqual(["died"]);
});
