import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type HttpClient, readOutcome } from "./http-client.ts";
import type { Ledger, LedgerEntry, Outcome } from "./ledger.ts";
import { type ExportedSpan, encodeJsonExport, encodeProtobufExport } from "./otlp-export.ts";
import type { Random } from "./random.ts";

export interface WriterOptions {
  client: HttpClient;
  ledger: Ledger;
  random: Random;
  /** The unique prefix of the markers it sends. */
  name: string;
  /** Bytes of incompressible text in each span, besides the rest. Default 40. */
  payloadBytes?: number;
  /** Receives every answer. */
  onAnswer?: (answer: Answer | null) => void;
  /** Pause between two writes. Default 100: while a process starts, the others need the processor for more than writes. */
  pauseMs?: number;
}

/** One request and the spans it stores. */
interface Write {
  route: string;
  body: Buffer;
  contentType: string;
  entries: LedgerEntry[];
  /** Whether repeating it can store nothing twice. */
  isRepeatable: boolean;
}

/** Spans of a REST session, which is read back as a whole. */
const sessionSize = 25;

/**
 * Sends traces one after the other until stopped: over REST, with a span id and without, and as OTLP exports in both
 * encodings. Repeats unacknowledged writes when that is safe, and one in ten acknowledged ones.
 */
export async function writeTraces(options: WriterOptions, stop: AbortSignal): Promise<void> {
  const { client, ledger, random, name, payloadBytes = 40, pauseMs = 100 } = options;
  let count = 0;

  function announce(isRoot: boolean, ids: { spanId: string | null; sessionId: string }) {
    count += 1;
    const marker = `${name}-${count}`;
    const input = `${marker} ${randomBytes(Math.ceil(payloadBytes / 1.34)).toString("base64")}`;
    const spanShown = ids.spanId === null ? {} : { spanId: ids.spanId };
    const shown = { name: marker, input, output: `done ${marker}`, sessionId: ids.sessionId, ...spanShown };
    return ledger.announce({ marker, isRoot, ...ids, shown });
  }

  function buildSubmission(): Write {
    const hasSpanId = random.chance(0.7);
    const entry = announce(true, {
      spanId: hasSpanId ? randomBytes(8).toString("hex") : null,
      sessionId: `${name}-session-${Math.floor(count / sessionSize)}`,
    });
    const { name: spanName, input, output } = entry.shown;
    const metadata = { marker: entry.marker, nul: "\u0000", big: [1, { deep: null }] };
    Object.assign(entry.shown, { metadata });
    const body = {
      name: spanName,
      input,
      output,
      metadata,
      session_id: entry.sessionId,
      ...(hasSpanId && { spanId: entry.spanId }),
    };
    return {
      route: "/ingest/traces",
      body: Buffer.from(JSON.stringify(body)),
      contentType: "application/json",
      entries: [entry],
      isRepeatable: hasSpanId,
    };
  }

  function buildExport(): Write {
    const isProtobuf = random.chance(0.5);
    const entries: LedgerEntry[] = [];
    const spans: ExportedSpan[] = [];
    for (let trace = random.integer(1, 3); trace > 0; trace -= 1) {
      const traceId = randomBytes(16).toString("hex");
      let parentSpanId: string | null = null;
      for (let span = random.integer(1, 3); span > 0; span -= 1) {
        const spanId = randomBytes(8).toString("hex");
        const entry = announce(parentSpanId === null, { spanId, sessionId: traceId });
        const { name: spanName, input, output } = entry.shown as Record<string, string>;
        const startNano = BigInt(Date.now()) * 1_000_000n;
        spans.push({
          traceId,
          spanId,
          parentSpanId,
          name: spanName as string,
          startNano,
          endNano: startNano + 5_000_000n,
          attributes: { "input.value": input as string, "output.value": output as string },
        });
        entries.push(entry);
        parentSpanId ??= spanId;
      }
    }
    return {
      route: "/otel/v1/traces",
      body: isProtobuf ? encodeProtobufExport(spans) : encodeJsonExport(spans),
      contentType: isProtobuf ? "application/x-protobuf" : "application/json",
      entries,
      isRepeatable: true,
    };
  }

  async function send(write: Write): Promise<Outcome> {
    const answer = await client.send("POST", write.route, write.body, { "content-type": write.contentType });
    options.onAnswer?.(answer);
    const outcome = readOutcome(answer);
    await ledger.record(write.entries, outcome);
    return outcome;
  }

  while (!stop.aborted) {
    const write = random.chance(0.65) ? buildSubmission() : buildExport();
    let outcome = await send(write);
    for (let tries = 0; write.isRepeatable && isPassing(outcome) && tries < 40 && !stop.aborted; tries += 1) {
      await sleep(random.integer(20, 150));
      outcome = await send(write);
    }
    if (outcome.kind === "acked" && write.isRepeatable && random.chance(0.1)) await send(write);
    // Without a pause, a refused connection would be retried as fast as it is refused.
    if (isPassing(outcome)) await sleep(50);
    else await sleep(pauseMs);
  }
}

function isPassing(outcome: Outcome): boolean {
  return outcome.kind === "refused" || outcome.kind === "broken";
}

/** A unique name for a run's files and writers. */
export function nameOf(seed: number): string {
  return `s${seed}-${createHash("sha256").update(randomBytes(8)).digest("hex").slice(0, 6)}`;
}
