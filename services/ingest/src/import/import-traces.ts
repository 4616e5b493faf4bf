import { limits } from "@touchstone/contracts";
import {
  type Answer,
  AppError,
  type Call,
  type Clock,
  createFairShare,
  type Handler,
  isAppError,
  renderError,
  requireNdjson,
  requireProject,
} from "@touchstone/service-kit";
import type { IncomingSpan } from "../model/span.ts";
import type { DecodeHeavy } from "../otlp/decode-items.ts";
import { takeTurn } from "../otlp/wire/take-turn.ts";
import { outcomeHeaders, refusalOf } from "../recording/report-outcome.ts";
import { createImportCounter, type ImportCounter } from "./import-tally.ts";
import type { ImportedSpan, ImportWriter } from "./import-writer.ts";
import { readImportedLine } from "./read-imported-line.ts";
import { splitLines } from "./split-lines.ts";

/** Concurrent imports of one process; each holds a line and a job. A project may run two of them. */
const importsMax = 3;
/** Spans and line bytes in one job. */
const jobSpans = 500;
const jobBytes = 4 * 1024 * 1024;
/** The slice of an export on one line that is decoded at a time. */
const slice = { rowsMax: jobSpans, bytesMax: jobBytes };

/** Errors that end an import before its last line. Earlier work is kept and reported. */
const interruptions: ReadonlySet<string> = new Set([
  "queue_full",
  "trace_quota_spent",
  "store_unavailable",
  "service_unavailable",
]);

export interface ImportDependencies {
  imports: ImportWriter;
  clock: Clock;
  /** Longest line: the limit of an OTLP export. */
  otlpBodyMaxBytes: number;
  decodeApart: (projectId: string) => DecodeHeavy;
}

/**
 * `POST /import/traces` imports the output of `GET /export/traces` and OTLP/JSON exports, one per line. The body is
 * stored as it is read, so its length does not affect memory. A bad line affects only itself. Imports can be repeated:
 * stored spans are skipped.
 */
export function importTraces(dependencies: ImportDependencies): Handler {
  const running = createFairShare({ total: importsMax });
  return async (call) => {
    const projectId = requireProject(call);
    requireNdjson(call.headers["content-type"]);
    const counter = createImportCounter();
    const tenant = { projectId, organizationId: call.identity.organizationId };
    if (running.obstacleTo(tenant, 1) !== null) {
      return interrupted(new AppError("queue_full", "Other imports are being read; retry."), counter);
    }
    running.hold(tenant, 1);
    try {
      await importLines(call, projectId, counter, dependencies);
    } catch (thrown) {
      if (isAppError(thrown) && interruptions.has(thrown.code)) return interrupted(thrown, counter);
      throw thrown;
    } finally {
      running.hold(tenant, -1);
    }
    const tally = counter.tally();
    const rejected = { outcome: "rejected_lines", count: tally.rejected, example: null } as const;
    return { status: 200, body: tally, headers: outcomeHeaders(rejected) };
  };
}

async function importLines(
  call: Call,
  projectId: string,
  counter: ImportCounter,
  { imports, clock, otlpBodyMaxBytes, decodeApart }: ImportDependencies,
): Promise<void> {
  const turn = takeTurn();
  const decodeHeavy = decodeApart(projectId);
  let waiting: ImportedSpan[] = [];
  let bytes = 0;
  const source = call.stream(limits.importInflatedMaxBytes);
  const { hold, signal } = call;
  // A small file may hold minutes of work, of no use to a client that has disconnected.
  for await (const line of splitLines(source, { bytesMax: otlpBodyMaxBytes, hold, signal })) {
    bytes += line.bytes?.length ?? 0;
    const take = async (spans: IncomingSpan[]): Promise<void> => {
      for (const span of spans) waiting.push({ line: line.number, span });
      while (waiting.length >= jobSpans || (bytes >= jobBytes && waiting.length > 0)) {
        await imports.write(projectId, waiting.slice(0, jobSpans), counter);
        waiting = waiting.slice(jobSpans);
        if (waiting.length < jobSpans) bytes = 0;
      }
    };
    await readImportedLine(line, slice, { nowMs: clock.now(), decodeHeavy, counter, signal, take });
    if (turn.isOver()) await turn.next();
  }
  if (waiting.length > 0) await imports.write(projectId, waiting, counter);
}

function interrupted(error: AppError, counter: ImportCounter): Answer {
  const { status, headers } = renderError(error, "standard", "POST");
  const outcome = outcomeHeaders(refusalOf(error));
  return { status, headers: { ...headers, ...outcome }, body: { error: error.message, ...counter.tally() } };
}
