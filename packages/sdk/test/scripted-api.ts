import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  method: string;
  /** Without the prefix of the API. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was sent
  body: any;
}

/** An answer instead of the usual one; `null` breaks the connection. */
export interface ScriptedAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** As much of the API as an evaluation uses, in memory: every answer is rated 7. */
export interface ScriptedApi {
  url: string;
  readonly requests: ReceivedRequest[];
  /** Stored results by key. */
  readonly results: Map<string, Record<string, unknown>>;
  /** Stores results whose keys are new, as a batch does. Returns the keys of the others. */
  store(results: readonly Record<string, unknown>[], batchId: string): Set<string>;
  /** The next requests to paths that match are answered so, in order. */
  answerNext(path: RegExp, ...answers: (ScriptedAnswer | null)[]): void;
  /** Called before a request is answered. */
  onRequest(listener: (request: ReceivedRequest) => void | Promise<void>): void;
  requestsTo(path: RegExp): ReceivedRequest[];
  /** Knows the run of an earlier server. */
  useRun(runId: string): void;
  stop(): Promise<void>;
}

const evaluations = "/custom-agent-evaluations";
const statistics = { averageRating: 7, minRating: 7, maxRating: 7, ratedCount: 0, skippedCount: 0, failedCount: 0 };

/** Has one dataset, "weather", with these questions. */
export async function startScriptedApi(queries: readonly string[] = ["Rain?", "Snow?", "Wind?"]): Promise<ScriptedApi> {
  const requests: ReceivedRequest[] = [];
  const results = new Map<string, Record<string, unknown>>();
  const scripted: { path: RegExp; answers: (ScriptedAnswer | null)[] }[] = [];
  let listener: (request: ReceivedRequest) => void | Promise<void> = () => undefined;
  let status = "in_progress";
  const datasets = [
    buildDataset(
      "weather",
      queries.map((query) => ({ main_question: { query, expectedResults: `${query} Yes.` } })),
    ),
  ];
  let runId: string = randomUUID();

  function store(sent: readonly Record<string, unknown>[], batchId: string): Set<string> {
    const known = new Set(sent.map(({ idempotencyKey }) => String(idempotencyKey)).filter((key) => results.has(key)));
    for (const result of sent) {
      const key = String(result.idempotencyKey);
      if (!known.has(key)) results.set(key, { ...result, batchId });
    }
    return known;
  }

  function answerUsually({ method, path, query, body }: ReceivedRequest): ScriptedAnswer {
    const ok = (answer: unknown): ScriptedAnswer => ({ status: 200, body: answer });
    const dataset = datasets.find(({ _id }) => path.includes(_id));
    if (path === "/projects") return ok({ projects: [{ _id: "p1", apiKey: "key" }] });
    if (path === "/scores") return ok({});
    if (path === `${evaluations}/datasets` && method === "POST") {
      const made = buildDataset(body.name, body.questions);
      datasets.push(made);
      return { status: 201, body: made };
    }
    if (path === `${evaluations}/datasets`) {
      const found = datasets.filter(({ name }) => name.includes(query.get("search") ?? ""));
      return ok({ datasets: found, nextCursor: null });
    }
    if (path.startsWith(`${evaluations}/datasets/`)) {
      return dataset ? ok(dataset) : { status: 404, body: { error: "Dataset not found" } };
    }
    if (path === `${evaluations}/runs`) return { status: 201, body: { runId, datasetId: body.datasetId } };
    if (!path.startsWith(`${evaluations}/runs/${runId}`)) return { status: 404, body: { error: "Run not found" } };
    const liveStatistics = { ...statistics, ratedCount: results.size };
    const run = { runId, datasetId: datasets[0]?._id, datasetVersion: 1, status, averageRating: 7, liveStatistics };
    if (path.endsWith("/missing-results")) return ok({ runId, submittedKeys: [...results.keys()], missing: [] });
    if (path.endsWith("/finalize")) {
      status = "completed";
      return ok({ ...run, status, resultCount: results.size });
    }
    if (path.endsWith("/results") && method === "POST") {
      const known = store(body.results, body.batchId);
      const scoredResults = body.results.map(({ idempotencyKey }: { idempotencyKey: string }) => {
        const status = results.get(idempotencyKey)?.error === undefined ? "scored" : "failed";
        return { idempotencyKey, rating: 7, status, ...(known.has(idempotencyKey) && { deduped: true }) };
      });
      return ok({ runId, accepted: scoredResults.length, failedValidation: 0, scoredResults, liveStatistics });
    }
    if (path.endsWith("/results")) {
      const ofCase = [...results.values()].filter((row) => String(row.questionIndex) === query.get("questionIndex"));
      return ok({ results: ofCase.map(({ idempotencyKey: _, ...row }) => row), nextCursor: null });
    }
    return ok(run);
  }

  const server = createServer(async (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://localhost");
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const request: ReceivedRequest = {
      method: incoming.method ?? "",
      path: pathname.replace(/^\/api\/v1/, ""),
      query: searchParams,
      headers: incoming.headers,
      body: text === "" ? null : JSON.parse(text),
    };
    requests.push(request);
    await listener(request);
    const script = scripted.find(({ path, answers }) => path.test(request.path) && answers.length > 0);
    const answer = script === undefined ? answerUsually(request) : (script.answers.shift() as ScriptedAnswer | null);
    if (answer === null) return void incoming.socket.resetAndDestroy();
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify(answer.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    results,
    store,
    answerNext: (path, ...answers) => void scripted.push({ path, answers }),
    onRequest(next) {
      listener = next;
    },
    requestsTo: (path) => requests.filter((request) => path.test(request.path)),
    useRun(known) {
      runId = known;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function buildDataset(name: string, questions: unknown[]) {
  return { _id: randomUUID(), name, questions, numberOfRequests: 1, version: 1 };
}
