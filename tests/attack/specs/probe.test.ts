/** The probe must detect each kind of harm. A kind it misses would look like fairness. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { type Bars, bars, findMissed, type Measurement } from "../src/bars.ts";
import { longestBetween, readStalls } from "../src/observer/loop-watch.ts";
import { type Observer, startObserver } from "../src/observer/observer.ts";

/** A stub of an installation. It gives the answers the probe expects, and wrong ones where a test says so. */
interface FakeInstallation {
  /** The number of accepted traces; their ids count from 0. */
  stored: number;
  traces: Map<string, string>;
  /** Replaces the usual answer if set. */
  answerInstead: (request: IncomingMessage, response: ServerResponse) => boolean;
  answered: number;
}

let fake: FakeInstallation;
let server: Server;
let node: ChildProcess;
let observer: Observer;

beforeEach(async () => {
  fake = { stored: 0, traces: new Map(), answerInstead: () => false, answered: 0 };
  server = createServer((request, response) => {
    fake.answered += 1;
    if (!fake.answerInstead(request, response)) answerAsUsual(request, response);
  }).listen(0, "127.0.0.1");
  // Allocates as many MB as a line on its standard input requests.
  const script = "const kept = []; process.stdin.on('data', (mb) => kept.push(Buffer.alloc(Number(mb) * 1048576, 1)))";
  node = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "ignore", "inherit"] });
  await Promise.all([once(server, "listening"), once(node, "spawn")]);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  observer = startObserver({ url, apiKey: "key", pid: node.pid as number, metricsToken: "token" });
});

afterEach(() => {
  observer.stop();
  node.kill();
  server.closeAllConnections();
  server.close();
});

function answerAsUsual(request: IncomingMessage, response: ServerResponse): void {
  const id = /\/ingest\/traces\/(.+)/.exec(request.url ?? "")?.[1];
  const send = (status: number, body: object): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  if (request.method !== "POST") {
    const input = id === undefined ? "" : fake.traces.get(id);
    send(input === undefined ? 404 : 200, { input });
    return;
  }
  let text = "";
  request.on("data", (chunk) => {
    text += chunk;
  });
  request.once("end", () => {
    const traceId = String(fake.stored);
    fake.stored += 1;
    fake.traces.set(traceId, (JSON.parse(text) as { input: string }).input);
    send(201, { trace_id: traceId });
  });
}

/** Without the time limits: a busy machine misses them on its own. */
const untimed: Bars = { ...bars, p99Ms: Infinity, worstMs: Infinity, stallMs: Infinity };

/** Observes while `hurt` runs. */
async function measureWhile(hurt: () => void | Promise<void>): Promise<Measurement> {
  const answersFrom = (count: number) =>
    waitUntil("the probe continues", async () => fake.answered >= count, { everyMs: 5 });
  await answersFrom(5);
  await observer.rememberMemory();
  await observer.begin();
  await answersFrom(fake.answered + 10);
  await hurt();
  await answersFrom(fake.answered + 10);
  await observer.attackIsOver();
  return {
    attack: "control",
    seconds: 1,
    settledSeconds: 2,
    window: await observer.end(),
    lost: await observer.readBack("begin"),
    notes: { answers: {}, complaints: [] },
    hasDied: false,
    wasRestarted: false,
    usualMb: 0,
    log: "",
  };
}

test("a project that is served well misses no limit", async () => {
  expect(findMissed(await measureWhile(() => {}), untimed)).toEqual([]);
});

test("an event loop that is blocked for two seconds counts as a stall, and as a slowest request of the same length", async () => {
  const measurement = await measureWhile(() => {
    const end = performance.now() + 2_000;
    while (performance.now() < end);
  });
  expect(findMissed(measurement, bars).join("\n")).toMatch(
    /^p99 \d+ ms, at most 250\nworst \d+ ms, at most 1000\nstall \d+ ms, at most 200$/,
  );
  // A probe that waited for its answers would have sent next to nothing in this time.
  expect(measurement.window.p50Ms).toBeGreaterThan(250);
});

test("5xx, refusals and broken connections are counted separately", async () => {
  const measurement = await measureWhile(async () => {
    const harms: FakeInstallation["answerInstead"][] = [
      (_request, response) => Boolean(response.writeHead(503).end()),
      (_request, response) => Boolean(response.writeHead(429).end()),
      (request) => Boolean(request.socket.destroy()),
    ];
    // Neither a ping nor a look at the metrics is a request of the probe.
    fake.answerInstead = (request, response) =>
      request.url?.includes("/ingest/") === true && (harms.shift()?.(request, response) ?? false);
    await waitUntil("all harm is done", async () => harms.length === 0);
  });
  expect(findMissed(measurement, untimed)).toEqual([
    "1 requests of the probe answered 5xx",
    "1 requests of the probe refused",
    "1 requests of the probe not answered",
  ]);
});

test("an acknowledged trace that is missing or has another text counts as lost", async () => {
  const measurement = await measureWhile(async () => {
    const next = fake.stored;
    await waitUntil("two more are stored and read immediately", async () => fake.stored > next + 6);
    fake.traces.delete(String(next));
    fake.traces.set(String(next + 1), "another text");
  });
  expect(findMissed(measurement, untimed)).toEqual(["2 acknowledged traces lost"]);
});

test("allocated memory counts at its peak and afterwards", async () => {
  const measurement = await measureWhile(async () => {
    const before = (await observer.now(0)).residentMb;
    node.stdin?.write("1200\n");
    await waitUntil("the memory is allocated", async () => (await observer.now(0)).residentMb > before + 1_150);
  });
  expect(findMissed(measurement, untimed).join("\n")).toMatch(
    /^memory added \d+ MB, at most 1024\nmemory after \d+ MB, at most \d+$/,
  );
});

test("the stalls of the installation's event loop are read from its metrics", () => {
  const metrics = (longest: readonly number[]): string =>
    [
      "# TYPE service_event_loop_stall_seconds histogram",
      ...[0.1, 0.25, 1].map(
        (le) =>
          `service_event_loop_stall_seconds_bucket{le="${le}",service="standalone"} ${longest.filter((one) => one <= le).length}`,
      ),
      `service_event_loop_stall_seconds_bucket{le="+Inf",service="standalone"} ${longest.length}`,
      `service_event_loop_stall_seconds_sum{service="standalone"} ${longest.reduce((sum, one) => sum + one, 0)}`,
      `service_event_loop_stall_seconds_count{service="standalone"} ${longest.length}`,
    ].join("\n");
  const between = (before: number[], added: number[]): number =>
    longestBetween(
      readStalls(metrics(before)) as NonNullable<ReturnType<typeof readStalls>>,
      readStalls(metrics([...before, ...added])) as NonNullable<ReturnType<typeof readStalls>>,
    );
  expect(readStalls("service_up 1")).toBeNull();
  expect(between([0.05], [0.5])).toBeCloseTo(0.5);
  expect(between([0.9], [0.01, 0.2, 0.2])).toBeCloseTo(0.25);
  expect(between([], [3, 3])).toBeCloseTo(6);
});
