import { type Measurement, measureClosedLoop, median } from "./closed-loop.ts";
import { evaluations, insistOn, refuseSkipped, resultsPerBatch, startRun, submitBatch } from "./graded-batches.ts";
import { type HttpConnection, openHttpConnection } from "./http-connection.ts";
import { type JudgingSystem, withJudgingSystem } from "./judging-system.ts";
import { atLeast, atMost, describeRounds, printFigure, printHeading } from "./report.ts";
import type { SingleService } from "./single-service.ts";

const judgeTakesMs = 200;
const readBackResults = 1_000;
/** A run that grows without limit would measure its own statistics. */
const resultsPerRun = 200;

interface Length {
  rounds: number;
  seconds: number;
}

/**
 * Batches of ten, submitted to eval-runs and judged over the bus by one judge: how much longer ten results take than
 * one call of their judge, how many results a second there are when the judge answers at once, and how long reading a
 * long run takes.
 */
export async function benchJudging(length: Length): Promise<void> {
  await withJudgingSystem(async (system) => {
    await compareWithOneCall(system, length);
    await countResults(system, length);
    await readBack(system, length);
  });
}

async function compareWithOneCall({ evalRuns, llm }: JudgingSystem, { rounds, seconds }: Length): Promise<void> {
  llm.answerWith({ kind: "verdict", rating: 7, delayMs: judgeTakesMs });
  const yardstick: Measurement[] = [];
  const batches: Measurement[] = [];
  for (let round = 0; round < rounds; round += 1) {
    yardstick.push(await measureBareCalls(llm.baseUrl, { clients: 1, seconds }));
    batches.push(await measureBatches(evalRuns, { clients: 1, seconds }));
  }
  printHeading(`Ten results, judge answering in ${judgeTakesMs} ms, ${rounds} rounds of ${seconds} s, medians`);
  printFigure({
    what: "p50 of a batch / one judge call",
    value: median(batches.map((round, index) => round.p50Ms / (yardstick[index] as Measurement).p50Ms)),
    unit: "",
    bar: atMost(1.15),
    beside: `${describeRounds(batches)} | ${describeRounds(yardstick)}`,
  });
}

async function countResults({ evalRuns, judge, llm }: JudgingSystem, { rounds, seconds }: Length): Promise<void> {
  const clients = 8;
  const yardstick: Measurement[] = [];
  const batches: Measurement[] = [];
  const cpuUs: { evalRuns: number; judge: number; driver: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // It records requests, which the bench does not read; then it answers at once.
    llm.reset();
    yardstick.push(await measureBareCalls(llm.baseUrl, { clients: clients * resultsPerBatch, seconds }));
    llm.reset();
    const before = await readCpu(evalRuns, judge);
    const measured = await measureBatches(evalRuns, { clients, seconds });
    const after = await readCpu(evalRuns, judge);
    const results = measured.answered * resultsPerBatch;
    const perResult = (part: keyof typeof before): number => ((after[part] - before[part]) * 1000) / results;
    cpuUs.push({ evalRuns: perResult("evalRuns"), judge: perResult("judge"), driver: perResult("driver") });
    batches.push(measured);
  }
  printHeading(`Results with an instant judge and all metrics, ${rounds} rounds of ${seconds} s, medians`);
  printFigure({
    what: `results a second, ${clients} connections`,
    value: median(batches.map(({ perSecond }) => perSecond * resultsPerBatch)),
    unit: "/s",
    bar: atLeast(600),
    beside: `batches: ${describeRounds(batches)} | bare calls: ${describeRounds(yardstick)}`,
  });
  const cpu = (part: "evalRuns" | "judge" | "driver"): number => median(cpuUs.map((round) => round[part]));
  printFigure({ what: "CPU of eval-runs a result", value: cpu("evalRuns"), unit: "us" });
  printFigure({ what: "CPU of the judge a result", value: cpu("judge"), unit: "us" });
  printFigure({ what: "CPU of driver and provider a result", value: cpu("driver"), unit: "us" });
}

async function readBack({ evalRuns, llm }: JudgingSystem, { rounds, seconds }: Length): Promise<void> {
  llm.reset();
  const connection = await openJson(evalRuns);
  const runId = await startRun(evalRuns);
  try {
    for (let sent = 0; sent < readBackResults; sent += resultsPerBatch) await submitBatch(connection, evalRuns, runId);
    await refuseSkipped(evalRuns, runId);
    const path = `${evaluations}/runs/${runId}`;
    const measured: Measurement[] = [];
    for (let round = 0; round < rounds; round += 1) {
      measured.push(
        await measureClosedLoop({
          clients: 1,
          seconds,
          once: async () => void (await connection.get(path, evalRuns.headersFor("GET", path))),
        }),
      );
    }
    printHeading(`A run with ${readBackResults} results, read back, ${rounds} rounds of ${seconds} s, medians`);
    printFigure({
      what: "p50 of the whole run",
      value: median(measured.map(({ p50Ms }) => p50Ms)),
      unit: "ms",
      bar: atMost(15),
      beside: describeRounds(measured),
    });
  } finally {
    connection.close();
  }
}

/** The provider's own time, measured by the driver. */
async function measureBareCalls(baseUrl: string, load: { clients: number; seconds: number }): Promise<Measurement> {
  const connections = await Promise.all(
    Array.from({ length: load.clients }, () => openHttpConnection(baseUrl, { "content-type": "application/json" })),
  );
  const { pathname } = new URL(`${baseUrl}/chat/completions`);
  const body = JSON.stringify({ model: "bench", messages: [{ role: "user", content: "How good is it?" }] });
  try {
    return await measureClosedLoop({
      ...load,
      once: async (client) => insistOn(200, await connections[client]?.post(pathname, body)),
    });
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function measureBatches(
  evalRuns: SingleService,
  load: { clients: number; seconds: number },
): Promise<Measurement> {
  const sides = await Promise.all(
    Array.from({ length: load.clients }, async () => ({
      connection: await openJson(evalRuns),
      runId: await startRun(evalRuns),
      results: 0,
    })),
  );
  try {
    const measured = await measureClosedLoop({
      ...load,
      once: async (client) => {
        const side = sides[client] as (typeof sides)[number];
        if (side.results >= resultsPerRun) Object.assign(side, { runId: await startRun(evalRuns), results: 0 });
        await submitBatch(side.connection, evalRuns, side.runId);
        side.results += resultsPerBatch;
      },
    });
    for (const { runId } of sides) await refuseSkipped(evalRuns, runId);
    return measured;
  } finally {
    for (const { connection } of sides) connection.close();
  }
}

const openJson = ({ address }: SingleService): Promise<HttpConnection> =>
  openHttpConnection(address, { "content-type": "application/json" });

async function readCpu(evalRuns: SingleService, judge: SingleService) {
  const { user, system } = process.cpuUsage();
  return { evalRuns: await evalRuns.cpuMs(), judge: await judge.cpuMs(), driver: (user + system) / 1000 };
}
