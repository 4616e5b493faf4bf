import { setTimeout as sleep } from "node:timers/promises";
import { type AnswerOf, ApiError, bodyOf, type operations, type Touchstone } from "@touchstone/sdk";
import type { Command } from "commander";
import { createParser } from "eventsource-parser";
import { readNumber } from "./gate.ts";
import { withoutControls } from "./lines.ts";
import { exitCodes, type Surroundings } from "./surroundings.ts";

type Trace = AnswerOf<"listTraces", 200>["traces"][number];
type Filters = NonNullable<operations["streamTraces"]["parameters"]["query"]>;

const pageMax = 100;
const textChars = 80;
const pauseMs = 2_000;

/** `touchstone traces tail|get|search` */
export function addTraces(program: Command, { client, print, note, interrupted }: Surroundings): void {
  const traces = program.command("traces").description("Read recorded traces.");

  addFilters(traces.command("tail").description("Follow traces as they are stored. Ctrl-C ends it.")).action(
    async ({ url, json, limit = Number.POSITIVE_INFINITY, ...filters }: TraceFlags) => {
      await tail(client(url), filters, {
        limit,
        signal: interrupted,
        note,
        onTrace: (trace) => print(show(trace, json)),
      });
      if (interrupted.aborted) process.exitCode = exitCodes.passed;
    },
  );

  traces
    .command("get")
    .description("Print a trace as JSON.")
    .argument("<trace>", "the id of the trace")
    .option("--url <url>", "the address of Touchstone")
    .option("--json", "print it in one line")
    .action(async (traceId: string, { url, json }: { url?: string; json?: boolean }) => {
      const trace = await bodyOf(
        client(url).api.GET("/api/v1/ingest/traces/{traceId}", { params: { path: { traceId } } }),
      );
      print(JSON.stringify(trace, null, json === true ? 0 : 2));
    });

  addFilters(
    traces.command("search").description("List traces, newest first.").argument("[text]", "text in the trace"),
  ).action(async (search: string | undefined, { url, json, limit = 20, ...filters }: TraceFlags) => {
    const query = { ...filters, ...(search !== undefined && { search }) };
    for await (const trace of listTraces(client(url), query, limit)) print(show(trace, json));
  });
}

type TraceFlags = Filters & { url?: string; json?: boolean; limit?: number };

function addFilters(command: Command): Command {
  return command
    .option("--agent-id <id>", "of this agent")
    .option("--session-id <id>", "of this session")
    .option("--model <name>", "of this model")
    .option("--source <source>", "production or eval")
    .option("--from <time>", "created at this time or later, ISO 8601")
    .option("--to <time>", "created before this time, ISO 8601")
    .option("--failing <true|false>", "failed, or rated below a threshold")
    .option("--limit <count>", "end after so many", readNumber)
    .option("--url <url>", "the address of Touchstone")
    .option("--json", "print a trace a line as JSON");
}

async function* listTraces(client: Touchstone, filters: Filters, limit: number): AsyncGenerator<Trace> {
  let cursor: string | null = null;
  let left = limit;
  while (left > 0) {
    const page: AnswerOf<"listTraces", 200> = await bodyOf(
      client.api.GET("/api/v1/ingest/traces", {
        params: {
          query: {
            ...filters,
            view: "preview",
            limit: String(Math.min(left, pageMax)),
            ...(cursor !== null && { cursor }),
          },
        },
      }),
    );
    yield* page.traces;
    left -= page.traces.length;
    cursor = page.nextCursor;
    if (cursor === null) return;
  }
}

/** Follows the stream. Once the server was reached, it goes on after the last event when a connection ends or fails. */
async function tail(
  client: Touchstone,
  filters: Filters,
  {
    limit,
    signal,
    note,
    onTrace,
  }: { limit: number; signal: AbortSignal; note: (text: string) => void; onTrace: (trace: Trace) => void },
): Promise<void> {
  let lastId: string | undefined;
  let count = 0;
  let isReached = false;
  const query = new URLSearchParams({ ...filters, view: "preview" });
  const parser = createParser({
    onEvent({ event, id, data }) {
      lastId = id ?? lastId;
      if (event === "reset") note("Some traces were missed.");
      if (event !== "trace" || count >= limit) return;
      count += 1;
      onTrace(JSON.parse(data) as Trace);
    },
  });
  while (!signal.aborted && count < limit) {
    const headers: Record<string, string> = lastId === undefined ? {} : { "last-event-id": lastId };
    try {
      const response = await client.request(`/api/v1/ingest/traces/stream?${query}`, { headers, signal });
      isReached = true;
      const decoder = new TextDecoder();
      for await (const chunk of response.body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
        parser.feed(decoder.decode(chunk, { stream: true }));
        if (count >= limit) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isReached || isRefused(error)) throw error;
      note(`The connection broke: ${(error as Error).message}`);
    }
    parser.reset();
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** A repetition would be refused, too. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status === null) return false;
  return error.status >= 400 && error.status < 500 && error.status !== 429;
}

function show(trace: Trace, isJson: boolean | undefined): string {
  if (isJson === true) return JSON.stringify(trace);
  const { createdAt, _id, name, latencyMs, error, judgeScores, output } = trace;
  const facts = [
    latencyMs === undefined ? "" : `${latencyMs} ms`,
    judgeScores === null ? "" : `rated ${judgeScores.rating}`,
  ];
  const text = error === undefined ? oneLine(output) : `error: ${oneLine(error)}`;
  return [createdAt, _id, oneLine(name), ...facts.filter(Boolean), text].join("  ");
}

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "");
  return withoutControls(text).replace(/\s+/gu, " ").slice(0, textChars);
}
