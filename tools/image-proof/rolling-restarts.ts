import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { run, submitResultsReply, traceList } from "@touchstone/contracts";
import { createBalancedClient } from "../../tests/integration/src/balanced-client.ts";
import { createClient } from "../../tests/integration/src/client.ts";
import { buildResults, createRun } from "../../tests/integration/src/graded-run.ts";
import type { ImageSystem } from "./image-system.ts";

const requestDeadlineMs = 60_000;
const reads = [
  "/api/v1/ingest/traces?limit=1",
  "/api/v1/custom-agent-evaluations/runs",
  "/api/v1/monitor/signals",
  "/api/v1/projects",
  "/api/public/projects",
];

export interface RestartReport {
  requests: number;
  /** A line for each request that failed or was answered otherwise than without restarts. */
  failures: string[];
  /** What was acknowledged, and what is stored afterwards. */
  traces: { acknowledged: number; stored: number };
  results: { acknowledged: number; stored: number };
  /** Exit codes other than 0. */
  exits: string[];
}

/** Restarts every container in turn, `rounds` times, while clients write traces, submit results and read. */
export async function restartUnderLoad(
  system: ImageSystem,
  { apiKey, rounds, onRound }: { apiKey: string; rounds: number; onRound: (report: RestartReport) => void },
): Promise<RestartReport> {
  const api = createClient({ url: system.gateways[0] as string, apiKey });
  const balanced = createBalancedClient(system.gateways);
  const report: RestartReport = {
    requests: 0,
    failures: [],
    traces: { acknowledged: 0, stored: 0 },
    results: { acknowledged: 0, stored: 0 },
    exits: [],
  };
  let isOver = false;
  let restarting = "";
  const note = (failure: string): void => {
    report.failures.push(failure);
    console.error(failure);
  };

  /** The body of an answer with the expected status; null for a failure. */
  async function ask(expected: number, method: string, route: string, body?: unknown): Promise<unknown> {
    report.requests += 1;
    const startedMs = performance.now();
    const fail = (why: string): null => {
      const afterMs = Math.round(performance.now() - startedMs);
      note(`${method} ${route} while ${restarting} restarts, after ${afterMs} ms: ${why}`);
      return null;
    };
    try {
      const answer = await balanced.send(route, {
        method,
        headers: { "x-api-key": apiKey, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(requestDeadlineMs),
      });
      const text = await answer.text();
      return answer.status === expected ? JSON.parse(text) : fail(`${answer.status} ${text.slice(0, 300)}`);
    } catch (error) {
      return fail(`${error} ${error instanceof Error ? error.cause : ""}`);
    }
  }

  const countTraces = async (): Promise<number> => {
    const list = await api.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces?limit=1");
    return list.totalCount;
  };
  const before = await countTraces();
  const runIds = await Promise.all([createRun(api), createRun(api)]);

  const writers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const stored = await ask(201, "POST", "/api/v1/ingest/traces", {
        name: "rolling",
        span_id: randomUUID(),
        input: "x",
      });
      if (stored !== null) report.traces.acknowledged += 1;
      await sleep(40 + Math.random() * 60);
    }
  });
  const readers = reads.map(async (route) => {
    while (!isOver) {
      await ask(200, "GET", route);
      await sleep(100 + Math.random() * 200);
    }
  });
  const graders = runIds.map(async (runId) => {
    const route = `/api/v1/custom-agent-evaluations/runs/${runId}/results`;
    for (let index = 0; !isOver; index += 1) {
      const results = buildResults(runId, 1, index);
      const answer = await ask(200, "POST", route, { batchId: `${runId}:${index}`, results });
      if (answer !== null) {
        report.results.acknowledged += 1;
        const [scored] = submitResultsReply.parse(answer).scoredResults;
        if (scored?.status !== "scored") note(`${restarting}: a result is ${JSON.stringify(scored)}`);
      }
      await sleep(250 + Math.random() * 500);
    }
  });
  const load = Promise.all([...writers, ...readers, ...graders]);
  load.catch(() => {});

  try {
    for (let round = 0; round < rounds; round += 1) {
      for (let index = 0; index < system.containers.length; index += 1) {
        restarting = `${system.containers[index]?.service}`;
        const code = await system.replace(index);
        if (code !== 0) report.exits.push(`${restarting} exited with ${code}`);
      }
      onRound(report);
    }
  } finally {
    isOver = true;
    await load;
    await balanced.close();
  }
  report.traces.stored = (await countTraces()) - before;
  for (const runId of runIds) {
    const graded = await api.expect({ status: 200, schema: run }, "GET", `/custom-agent-evaluations/runs/${runId}`);
    report.results.stored += graded.resultCount;
  }
  return report;
}
