import { getPriority } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { threadId } from "node:worker_threads";
import { afterEach, expect, test, vi } from "vitest";
import {
  type ComputePool,
  type ComputePoolOptions,
  createComputePool,
  createLogger,
  createMetrics,
  defineComputeTask,
  type Metrics,
} from "../src/index.ts";
import type * as computing from "./computing.ts";

const name = <Name extends keyof typeof computing>(of: Name) =>
  defineComputeTask<(typeof computing)[Name]>(of, new URL("./computing.ts", import.meta.url));
const tellThread = name("tellThread");
const tellPriority = name("tellPriority");
const spinForever = name("spinForever");
const waitForGate = name("waitForGate");
const fillMemory = name("fillMemory");
const sumBytes = name("sumBytes");
const refuse = name("refuse");
const makeBytes = name("makeBytes");
const countKept = name("countKept");

/** Long enough for anything that ends at all. */
const patient = { deadlineMs: 60_000, projectId: "a" };
const hasty = { deadlineMs: 50, projectId: "a" };

const pools: ComputePool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.stop())));

function openPool(options: Partial<ComputePoolOptions> = {}): ComputePool & { metrics: Metrics } {
  const metrics = createMetrics();
  const logger = createLogger({ service: "test", level: "silent" });
  const pool = createComputePool({ name: "test", logger, metrics, threadsMax: 2, queueMax: 8, ...options });
  pools.push(pool);
  return { ...pool, metrics };
}

async function readMetric(metrics: Metrics, metric: string): Promise<Record<string, number>> {
  const { values } = (await metrics.getSingleMetric(metric)?.get()) ?? { values: [] };
  return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels).slice(1).join(" "), value]));
}

/** A gate that computations wait at, and the number of waiting ones. */
function createGate() {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const began = new Int32Array(new SharedArrayBuffer(4));
  return {
    input: { gate, began },
    holds: (count: number) => vi.waitFor(() => expect(Atomics.load(began, 0)).toBe(count), { timeout: 30_000 }),
    open() {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    },
  };
}

test("a computation that never ends is ended at its deadline, with its thread, and delays no other meanwhile", async () => {
  const pool = openPool({ threadsMax: 1 });
  const before = await pool.run(tellThread, undefined, patient);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  await expect(pool.run(spinForever, undefined, hasty)).rejects.toMatchObject({
    kind: "timeout",
    message: "spinForever took more than 50 ms",
  });
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan(2_000);
  const after = await pool.run(tellThread, undefined, patient);
  expect(new Set([threadId, before, after]).size).toBe(3);
  expect(await readMetric(pool.metrics, "service_compute_ended_total")).toEqual({
    "tellThread ok": 2,
    "spinForever timeout": 1,
  });
});

test.runIf(process.platform === "linux")("a thread leaves processors to the event loop first", async () => {
  const loop = getPriority();
  expect(await openPool().run(tellPriority, undefined, patient)).toBe(Math.min(19, loop + 5));
  expect(getPriority()).toBe(loop);
});

test("the start of a thread does not count towards a deadline", async () => {
  const slow = "await new Promise((resolve) => setTimeout(resolve, 2_000)); export const sumBytes = () => 3;";
  const module = new URL(`data:text/javascript,${encodeURIComponent(slow)}`);
  const task = defineComputeTask<(typeof computing)["sumBytes"]>("sumBytes", module);
  expect(await openPool().run(task, new Uint8Array([1, 2]), { deadlineMs: 1_000, projectId: "a" })).toBe(3);
});

test("a computation that fills its heap ends alone", async () => {
  // A thread needs up to 30 MB to load its module, unless the compile cache has it.
  const pool = openPool({ memoryMaxMb: 64 });
  await expect(pool.run(fillMemory, undefined, patient)).rejects.toMatchObject({ kind: "memory" });
  expect(await pool.run(tellThread, undefined, patient)).not.toBe(threadId);
});

test("an error of the function is returned", async () => {
  const pool = openPool();
  await expect(pool.run(refuse, undefined, patient)).rejects.toThrow(new RangeError("no"));
  expect(await readMetric(pool.metrics, "service_compute_ended_total")).toEqual({ "refuse failed": 1 });
});

test("a buffer is transferred, not copied", async () => {
  const pool = openPool();
  const bytes = new Uint8Array([1, 2, 3]);
  expect(await pool.run(sumBytes, bytes, { ...patient, transfer: [bytes.buffer] })).toBe(6);
  expect(bytes.byteLength).toBe(0);
});

test("buffers of a result are moved to the caller", async () => {
  const pool = openPool({ threadsMax: 1 });
  expect(await pool.run(makeBytes, undefined, patient)).toEqual({ made: new Uint8Array([1, 2, 3]) });
  expect(await pool.run(countKept, undefined, patient)).toBe(0);
});

test("a project with many computations leaves a thread to the others, and space in the queue", async () => {
  const pool = openPool({ threadsMax: 2, queueMax: 4 });
  const gate = createGate();
  const many = Array.from({ length: 4 }, () => pool.run(waitForGate, gate.input, { ...patient, projectId: "many" }));
  await gate.holds(1);
  await expect(pool.run(waitForGate, gate.input, { ...patient, projectId: "many" })).rejects.toMatchObject({
    kind: "busy",
  });
  expect(await pool.run(tellThread, undefined, { ...patient, projectId: "few" })).not.toBe(threadId);
  expect(await readMetric(pool.metrics, "service_compute_waiting")).toEqual({ "": 3 });
  gate.open();
  await Promise.all(many);
});

test("an aborted call leaves the queue, or ends the thread", async () => {
  const pool = openPool({ threadsMax: 1 });
  const gate = createGate();
  const leave = [new AbortController(), new AbortController()];
  const [running, waiting] = leave.map(({ signal }) => pool.run(waitForGate, gate.input, { ...patient, signal }));
  await gate.holds(1);
  leave[1]?.abort(new Error("left the queue"));
  await expect(waiting).rejects.toThrow("left the queue");
  leave[0]?.abort(new Error("left the thread"));
  await expect(running).rejects.toThrow("left the thread");
  expect(await readMetric(pool.metrics, "service_compute_ended_total")).toEqual({ "waitForGate aborted": 2 });
});

test("threads start with the first computation, and end when idle", async () => {
  const pool = openPool({ idleMs: 1 });
  const threads = () => readMetric(pool.metrics, "service_compute_threads");
  expect(await threads()).toEqual({ "": 0 });
  const gate = createGate();
  const running = pool.run(waitForGate, gate.input, patient);
  await gate.holds(1);
  expect(await threads()).toEqual({ "": 1 });
  gate.open();
  await running;
  await vi.waitFor(async () => expect(await threads()).toEqual({ "": 0 }));
});

test("a pool that stops rejects running and waiting computations", async () => {
  const pool = openPool({ threadsMax: 1 });
  const gate = createGate();
  const ends = [1, 2].map(() => pool.run(waitForGate, gate.input, patient).catch(({ kind }) => kind));
  await gate.holds(1);
  await pool.stop();
  expect(await Promise.all(ends)).toEqual(["unavailable", "unavailable"]);
  await expect(pool.run(tellThread, undefined, patient)).rejects.toMatchObject({ kind: "unavailable" });
});
