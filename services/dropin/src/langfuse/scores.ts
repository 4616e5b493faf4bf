import type { LangfuseEvent, submittedScore } from "@touchstone/contracts";
import { experimentRunId, membersOf, memberText, objectText, parseIsoTime, uuidv7 } from "@touchstone/service-kit";
import type { z } from "zod";
import { spanIdOf, traceIdOf } from "./ids.ts";
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
  const metadata = { name: "metadata", valueText: memberText(bodyText, "metadata") ?? "null" };
  return objectText([...membersOf(JSON.stringify(score)), metadata]);
}

/** Null for a time that is none: the score is worth more than its time. */
function timeOf(event: Pick<LangfuseEvent, "timestamp"> | null): string | null {
  return event !== null && (parseIsoTime(event.timestamp) ?? -1) >= 0 ? event.timestamp : null;
}
