import { randomUUID } from "node:crypto";
import type { HttpConnection } from "./http-connection.ts";
import type { IdentityHeaders } from "./identity-headers.ts";

/** Who is asked: eval-runs itself under an identity, or a gateway under a key. */
export interface BenchTarget {
  address: string;
  /** Header lines for a request. */
  headersFor: IdentityHeaders;
}

export const evaluations = "/api/v1/custom-agent-evaluations";
export const resultsPerBatch = 10;

const text = "The forecast for the next days says sunshine with light wind from the west and mild nights. ";
let submitted = 0;

/** Ten results, judged before the answer. */
export async function submitBatch(
  connection: HttpConnection,
  target: BenchTarget,
  runId: string,
  writeText = () => `${text}${text}`,
): Promise<void> {
  const path = `${evaluations}/runs/${runId}/results`;
  const results = Array.from({ length: resultsPerBatch }, () => {
    submitted += 1;
    return {
      idempotencyKey: `${submitted}`,
      questionIndex: 0,
      runNumber: submitted,
      input: { query: "How will the weather be?" },
      output: { text: `${writeText()}It is answer ${submitted}.` },
    };
  });
  const body = JSON.stringify({ batchId: randomUUID(), results });
  insistOn(200, await connection.post(path, body, target.headersFor("POST", path)));
}

/** A run over a new dataset, judged with all four similarity metrics. */
export async function startRun(target: BenchTarget): Promise<string> {
  const { _id: datasetId } = await askJson<{ _id: string }>(target, "POST", "/datasets", {
    name: "Bench",
    acceptanceCriteria: "Names the weather.",
    vectorSimilarity: { enabled: true, model: "local-hash" },
    jaccardSimilarity: { enabled: true },
    bleuScore: { enabled: true },
    rougeScore: { enabled: true },
    questions: [{ main_question: { query: "How will the weather be?", expectedResults: `${text}${text}` } }],
  });
  return (await askJson<{ runId: string }>(target, "POST", "/runs", { datasetId })).runId;
}

/** A figure of results without verdicts is invalid. */
export async function refuseSkipped(target: BenchTarget, runId: string): Promise<void> {
  const run = await askJson<{ liveStatistics: { skippedCount: number } }>(target, "GET", `/runs/${runId}`);
  if (run.liveStatistics.skippedCount > 0) throw new Error("Results were skipped instead of judged.");
}

async function askJson<Reply>(target: BenchTarget, method: string, route: string, body?: object): Promise<Reply> {
  const path = `${evaluations}${route}`;
  const [name = "", identity = ""] = target.headersFor(method, path).trim().split(": ");
  const response = await fetch(`${target.address}${path}`, {
    method,
    headers: { [name]: identity, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Reply;
}

export function insistOn(expected: number, status: number | undefined): void {
  if (status !== expected) throw new Error(`A request was answered ${status}.`);
}
