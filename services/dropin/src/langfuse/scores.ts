import { type LangfuseEvent, limits, type submittedScore } from "@touchstone/contracts";
import {
  compactText,
  experimentRunId,
  lostSpanId,
  lostTraceId,
  membersOf,
  memberText,
  objectText,
  parseIsoTime,
  spanIdOf,
  traceIdOf,
  uuidv7,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { EventError, textOf } from "./span-updates.ts";

const dataTypes = {
  NUMERIC: "numeric",
  BOOLEAN: "boolean",
  CATEGORICAL: "categorical",
  TEXT: "categorical",
  CORRECTION: "categorical",
} as const;

/** Who gave a score: clients state it of those that people gave, and the import of all. Others are of code. */
const sources: Readonly<Record<string, "human" | "model">> = { ANNOTATION: "human", EVAL: "model" };

/** A score as it was sent, alone or in an event. */
interface LangfuseScore {
  body: Readonly<Record<string, unknown>>;
  /** JSON text of the body. */
  bodyText: string;
  /** Null: it came without one. */
  event: Pick<LangfuseEvent, "id" | "timestamp"> | null;
  projectId: string;
  nowMs: number;
}

/**
 * The JSON text of a score of ours. Without an id or a time it has those of its event, so that a repeated event changes
 * nothing. One by itself gets an id here, so that asking ingest again stores it once. Metadata stay the text that was
 * sent: their numbers keep their spelling. Throws an EventError.
 */
export function toScore({ body, bodyText, event, projectId, nowMs }: LangfuseScore): string {
  const { value, dataType } = body;
  if (typeof value !== "number" && typeof value !== "string" && typeof value !== "boolean") {
    throw new EventError("body.value must be a number, a text or a boolean");
  }
  const stated = textOf(body, "dataType");
  if (stated !== null && !(stated in dataTypes)) throw new EventError(`body.dataType ${dataType} is unknown`);
  const [traceId, observationId, run] = [
    textOf(body, "traceId"),
    textOf(body, "observationId"),
    textOf(body, "datasetRunId"),
  ];
  const score: Omit<z.input<typeof submittedScore>, "metadata"> = {
    id: textOf(body, "id") ?? event?.id ?? uuidv7(nowMs),
    name: textOf(body, "name") ?? "",
    value,
    dataType: stated === null ? null : dataTypes[stated as keyof typeof dataTypes],
    comment: textOf(body, "comment"),
    source: sources[textOf(body, "source") ?? ""] ?? null,
    timestamp: textOf(body, "timestamp") ?? timeOf(event),
    traceId: traceId === null ? null : traceIdOf(traceId),
    spanId: observationId === null ? null : spanIdOf(observationId),
    sessionId: textOf(body, "sessionId"),
    runId: run === null ? null : experimentRunId(projectId, run),
  };
  const environment = textOf(body, "environment");
  const metadata = withEntries(memberText(bodyText, "metadata") ?? "null", {
    peerTraceId: traceId && lostTraceId(traceId),
    peerObservationId: observationId && lostSpanId(observationId),
    peerRunId: run === score.runId ? null : run,
    environment: environment === defaultEnvironment ? null : environment,
    configId: textOf(body, "configId"),
    queueId: textOf(body, "queueId"),
  });
  return objectText([...membersOf(JSON.stringify(score)), { name: "metadata", valueText: metadata }]);
}

/** What clients state that have no environment of their own. */
const defaultEnvironment = "default";

/**
 * The JSON text of metadata with what has no other place, where they have no entry of that name. Without room for it they
 * stay as they are: the score is worth more. What is no object is an entry, as in the metadata of spans.
 */
function withEntries(stated: string, entries: Readonly<Record<string, string | null>>): string {
  const isObject = stated === "null" || stated.startsWith("{");
  const metadata = isObject ? stated : objectText([{ name: "metadata", valueText: stated }]);
  const sent = metadata === "null" ? [] : membersOf(metadata);
  const added = Object.entries(entries).flatMap(([name, text]) =>
    text === null || sent.some((entry) => entry.name === name) ? [] : [{ name, valueText: JSON.stringify(text) }],
  );
  const whole = objectText([...sent, ...added]);
  return added.length === 0 || compactText(whole).length > limits.scoreMetadataMaxChars ? metadata : whole;
}

/** Null for a time that is none: the score is worth more than its time. */
function timeOf(event: Pick<LangfuseEvent, "timestamp"> | null): string | null {
  return event !== null && (parseIsoTime(event.timestamp) ?? -1) >= 0 ? event.timestamp : null;
}
