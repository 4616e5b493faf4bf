import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { Agent, type Dispatcher } from "undici";

/** The outcome of a request: 2xx, 5xx, any other status, or no complete answer. */
type Outcome = "good" | "failed" | "refused" | "unanswered";

/** One request of the probe. */
export interface ProbedRequest {
  what: string;
  sentMs: number;
  latencyMs: number;
  outcome: Outcome;
  /** The status and the beginning of the body of a failed request. */
  said: string;
}

/** An acknowledged trace and the text it was sent with. */
interface AcknowledgedTrace {
  id: string;
  input: string;
  sentMs: number;
}

/** A well-behaved project that records how it is served. */
export interface Probe {
  /** Every request sent since then, once all have ended. */
  requestsSince(sentMs: number): Promise<ProbedRequest[]>;
  /** The slowest request since then, including those in progress; 0 if there is none. */
  slowestSince(sentMs: number): number;
  /** Reads back what was acknowledged since then; returns a line for each that is missing or differs from what was sent. */
  readBack(sentMs: number): Promise<string[]>;
  /** The latency of the slowest of many `/health/live` since then: about as long as no request could be answered. */
  longestPingSince(sentMs: number): number;
  /** The largest delay of the probe's own timer since then: a busy machine cannot be measured more precisely. */
  ownDelaySince(sentMs: number): number;
}

/** The interval of the probes, which does not depend on answers. */
const probeEveryMs = 50;
const pingEveryMs = 25;
const deadlineMs = 20_000;
const readBackMs = 60_000;
const pingMaxMs = 120_000;

/** Starts the probe; ends with the process. */
export function startProbe({
  url,
  apiKey,
  isPaused = () => false,
}: {
  url: string;
  apiKey: string;
  isPaused?: () => boolean;
}): Probe {
  const done: ProbedRequest[] = [];
  const underWay = new Map<Promise<unknown>, number>();
  const acknowledged: AcknowledgedTrace[] = [];
  const pings: { sentMs: number; latencyMs: number }[] = [];

  const send = createSender(url, apiKey);

  /** Returns the answer; null unless it was 2xx. */
  async function probe(what: string, ...request: Parameters<Send>): Promise<string | null> {
    const sentMs = performance.now();
    const note = (outcome: Outcome, said = ""): void => {
      done.push({ what, sentMs, latencyMs: performance.now() - sentMs, outcome, said });
    };
    try {
      const { status, text } = await send(...request);
      const isGood = status >= 200 && status < 300;
      note(isGood ? "good" : status >= 500 ? "failed" : "refused", isGood ? "" : `${status} ${text.slice(0, 200)}`);
      return isGood ? text : null;
    } catch (error) {
      note("unanswered", (error as Error).message);
      return null;
    }
  }

  async function submitAndRead(): Promise<void> {
    const input = `A question of the probe, ${randomBytes(8).toString("hex")}.`;
    const sentMs = performance.now();
    const body = JSON.stringify({ name: "probe", input, output: "An answer." });
    const reply = await probe("POST /ingest/traces", "POST", "/api/v1/ingest/traces", body);
    if (reply === null) return;
    const { trace_id: id } = JSON.parse(reply) as { trace_id: string };
    acknowledged.push({ id, input, sentMs });
    await probe("GET /ingest/traces/{traceId}", "GET", `/api/v1/ingest/traces/${id}`);
  }

  const turns = [
    submitAndRead,
    () => probe("GET /ingest/traces", "GET", "/api/v1/ingest/traces?limit=20"),
    () => probe("GET /health/live", "GET", "/health/live"),
  ];
  let turn = 0;
  setInterval(() => {
    if (isPaused()) return;
    const work = (turns[turn % turns.length] as () => Promise<unknown>)();
    turn += 1;
    underWay.set(work, performance.now());
    void work.finally(() => underWay.delete(work));
  }, probeEveryMs);

  const delays: { atMs: number; delayMs: number }[] = [];
  let lastMs = performance.now();
  let pingSentMs: number | null = null;
  setInterval(async () => {
    const sentMs = performance.now();
    delays.push({ atMs: sentMs, delayMs: sentMs - lastMs - pingEveryMs });
    lastMs = sentMs;
    if (pingSentMs !== null || isPaused()) return;
    pingSentMs = sentMs;
    // The probe reports a broken one.
    await send("GET", "/health/live", null, pingMaxMs).catch(() => undefined);
    pings.push({ sentMs, latencyMs: performance.now() - sentMs });
    pingSentMs = null;
  }, pingEveryMs);

  return {
    async requestsSince(since) {
      await Promise.all([...underWay].filter(([, sentMs]) => sentMs >= since).map(([work]) => work));
      return done.filter(({ sentMs }) => sentMs >= since);
    },
    slowestSince(since) {
      const now = performance.now();
      const ended = done.filter(({ sentMs }) => sentMs >= since).map(({ latencyMs }) => latencyMs);
      const waiting = [...underWay.values()].map((sentMs) => now - sentMs);
      return Math.max(0, ...ended, ...waiting);
    },
    async readBack(since) {
      const promised = acknowledged.filter(({ sentMs }) => sentMs >= since);
      const lost: string[] = [];
      let next = 0;
      const reader = async (): Promise<void> => {
        while (next < promised.length) {
          const trace = promised[next] as AcknowledgedTrace;
          next += 1;
          const loss = await findLoss(send, trace);
          if (loss !== null) lost.push(loss);
        }
      };
      await Promise.all(Array.from({ length: 4 }, reader));
      return lost;
    },
    longestPingSince(since) {
      const waiting = pingSentMs === null ? 0 : performance.now() - pingSentMs;
      const ended = pings.filter(({ sentMs }) => sentMs >= since).map(({ latencyMs }) => latencyMs);
      return Math.max(0, waiting, ...ended);
    },
    ownDelaySince(since) {
      return Math.max(0, ...delays.filter(({ atMs }) => atMs >= since).map(({ delayMs }) => delayMs));
    },
  };
}

type Send = ReturnType<typeof createSender>;

function createSender(url: string, apiKey: string) {
  const agent = new Agent({ connections: 1_024 });
  return async (method: Dispatcher.HttpMethod, path: string, body: string | null = null, waitMs = deadlineMs) => {
    const answer = await agent.request({
      origin: url,
      path,
      method,
      headers: { "x-api-key": apiKey, ...(body !== null && { "content-type": "application/json" }) },
      body,
      signal: AbortSignal.timeout(waitMs),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
}

/** How a trace was lost; null if it can be read. */
async function findLoss(send: Send, { id, input }: AcknowledgedTrace): Promise<string | null> {
  // For each of them: on a busy machine reading back all takes minutes.
  for (const deadline = performance.now() + readBackMs; ; ) {
    const answer = await send("GET", `/api/v1/ingest/traces/${id}`).catch((error: Error) => error.message);
    const said = typeof answer === "string" ? answer : `${answer.status} ${answer.text.slice(0, 200)}`;
    if (typeof answer !== "string" && answer.status === 200) {
      return (JSON.parse(answer.text) as { input: string }).input === input ? null : `${id} has another text: ${said}`;
    }
    if (said.startsWith("404 ") || performance.now() > deadline) return `${id}: ${said}`;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
