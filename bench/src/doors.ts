import { measureCount, median } from "./closed-loop.ts";
import { createRandom, type Random } from "./dataset/random.ts";
import { type Door, doors, type ExportedTrace, writeTrace } from "./door-bodies.ts";
import { insistOn } from "./graded-batches.ts";
import { openHttpConnection } from "./http-connection.ts";
import { atMost, type Bar, printFigure, printHeading } from "./report.ts";
import { type CpuMs, measureIdleCores, readTree, sumOf, waitUntilDrained } from "./sustained/process-cpu.ts";
import { openSustainedTarget, type SustainedTarget } from "./sustained/sustained-target.ts";
import { thisVersion } from "./sustained/version.ts";
import { createTextWriter } from "./sustained/write-texts.ts";

type DoorName = keyof typeof doors;
type Costs = Record<DoorName, CpuMs>;

const connections = 4;
const spansPerTrace = 8;
const tracesPerBatch = 4;
const batchesPerRound = 120;
const spansPerRound = batchesPerRound * tracesPerBatch * spansPerTrace;
const settleSeconds = 5;

const comparisons: { of: DoorName; to: DoorName; bar?: Bar }[] = [
  { of: "alias", to: "otlp", bar: atMost(1.05) },
  { of: "together", to: "whole", bar: atMost(1.3) },
  { of: "pieces", to: "whole" },
  { of: "langfuse", to: "whole" },
  { of: "langfuse", to: "pieces" },
  { of: "whole", to: "otlp" },
];

/**
 * The CPU a span of every door that peers' clients send to, beside our own: the same spans in as many requests, the doors in turns.
 * Counts all processes of the installation, until everything that is done later is done too.
 */
export async function benchDoors({ rounds }: { rounds: number }): Promise<void> {
  await using opened = await openSustainedTarget(thisVersion);
  const names = Object.keys(doors) as DoorName[];
  await measureIdleCores(opened.pid, settleSeconds);
  const idleCores = await measureIdleCores(opened.pid, settleSeconds);
  // What is compiled and cached by the first spans counts for no door.
  for (const name of names) await measureDoor(opened, doors[name], { idleCores, random: createRandom(rounds + 1) });
  const measured: Costs[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const costs: [DoorName, CpuMs][] = [];
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      costs.push([name, await measureDoor(opened, doors[name], { idleCores, random: createRandom(round + 1) })]);
    }
    measured.push(Object.fromEntries(costs) as Costs);
  }
  await insistOnTraces(opened, names.length * (rounds + 1) * batchesPerRound * tracesPerBatch);
  printFigures(measured);
}

/** The CPU a span. The same random numbers make the same texts; ids and times are new. */
async function measureDoor(
  opened: SustainedTarget,
  door: Door,
  { idleCores, random }: { idleCores: number; random: Random },
): Promise<CpuMs> {
  const { target, pid, apiKey } = opened;
  const ids = createRandom(Math.floor(Math.random() * 2 ** 32));
  const writeText = createTextWriter(random, { medianChars: 400, p99Chars: 4_000 });
  const batches = Array.from({ length: batchesPerRound }, () =>
    door.encode(Array.from({ length: tracesPerBatch }, (): ExportedTrace => writeTrace(ids, writeText, spansPerTrace))),
  );
  const headers = { "content-type": door.contentType };
  const open = await Promise.all(
    Array.from({ length: connections }, () => openHttpConnection(target.address, headers)),
  );
  const startedMs = performance.now();
  const before = (await readTree(pid)).cpuMs;
  await measureCount({
    clients: connections,
    count: batchesPerRound,
    async once(client, number) {
      for (const body of batches[number] ?? []) {
        insistOn(door.status, await open[client]?.post(door.path, body, door.authorize(apiKey)));
      }
    },
  });
  for (const connection of open) connection.close();
  if (!(await waitUntilDrained(pid, idleCores))) throw new Error(`${door.what}: the system did not come to rest.`);
  const after = (await readTree(pid)).cpuMs;
  // What an idle system uses is taken from its parts as they used it.
  const idleShare = (idleCores * (performance.now() - startedMs)) / (sumOf(after) - sumOf(before));
  const perSpan = (part: keyof CpuMs): number => ((after[part] - before[part]) * (1 - idleShare)) / spansPerRound;
  return { node: perSpan("node"), postgres: perSpan("postgres"), nats: perSpan("nats") };
}

/** A door that stores less would be a fast one. */
async function insistOnTraces({ target, apiKey }: SustainedTarget, sent: number): Promise<void> {
  const connection = await openHttpConnection(target.address, { "x-api-key": apiKey });
  const answer = JSON.parse(await connection.get("/api/v1/ingest/traces?limit=1")) as { totalCount: number };
  connection.close();
  if (answer.totalCount !== sent) throw new Error(`${sent} traces were sent, ${answer.totalCount} are stored.`);
}

function printFigures(measured: readonly Costs[]): void {
  printHeading(
    `Doors: ${spansPerRound} spans in ${batchesPerRound * 2} requests, traces of ${spansPerTrace}, ${measured.length} rounds, medians`,
  );
  for (const name of Object.keys(doors) as DoorName[]) {
    const of = (part: keyof CpuMs): number => median(measured.map((costs) => costs[name][part]));
    printFigure({
      what: doors[name].what,
      value: median(measured.map((costs) => sumOf(costs[name]))),
      unit: "ms",
      beside: `Node ${of("node").toFixed(3)}, PostgreSQL ${of("postgres").toFixed(3)}, NATS ${of("nats").toFixed(3)} ms`,
    });
  }
  for (const { of, to, bar } of comparisons) {
    const ratio = (read: (cpu: CpuMs) => number): number =>
      median(measured.map((costs) => read(costs[of]) / read(costs[to])));
    printFigure({
      what: `${of} / ${to}`,
      value: ratio(sumOf),
      unit: "",
      ...(bar && { bar }),
      beside: `Node ${ratio(({ node }) => node).toFixed(2)}, PostgreSQL ${ratio(({ postgres }) => postgres).toFixed(2)}`,
    });
  }
}
