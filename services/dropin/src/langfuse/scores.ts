import type { LangfuseEvent, submittedScore } from "@touchstone/contracts";
import { parseIsoTime } from "@touchstone/service-kit";
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

/**
 * A score of Langfuse as one of ours. Without an id or a time it has those of its event, so that a repeated event changes
 * nothing. `event` is null for a score that is sent alone.
 */
export function toScore(
  body: Readonly<Record<string, unknown>>,
  event: Pick<LangfuseEvent, "id" | "timestamp"> | null,
): z.input<typeof submittedScore> {
  const { value, metadata, dataType } = body;
  if (typeof value !== "number" && typeof value !== "string" && typeof value !== "boolean") {
    throw new EventError("body.value must be a number, a text or a boolean");
  }
  const stated = textOf(body, "dataType");
  if (stated !== null && !(stated in dataTypes)) throw new EventError(`body.dataType ${dataType} is unknown`);
  const [traceId, observationId] = [textOf(body, "traceId"), textOf(body, "observationId")];
  return {
    id: textOf(body, "id") ?? event?.id ?? null,
    name: textOf(body, "name") ?? "",
    value,
    dataType: stated === null ? null : dataTypes[stated as keyof typeof dataTypes],
    comment: textOf(body, "comment"),
    source: sources[textOf(body, "source") ?? ""] ?? null,
    metadata: (metadata ?? null) as z.input<typeof submittedScore>["metadata"],
    timestamp: textOf(body, "timestamp") ?? timeOf(event),
    traceId: traceId === null ? null : traceIdOf(traceId),
    spanId: observationId === null ? null : spanIdOf(observationId),
    sessionId: textOf(body, "sessionId"),
    runId: textOf(body, "datasetRunId"),
  };
}

/** Null for a time that is none: the score is worth more than its time. */
function timeOf(event: Pick<LangfuseEvent, "timestamp"> | null): string | null {
  return event !== null && (parseIsoTime(event.timestamp) ?? -1) >= 0 ? event.timestamp : null;
}
