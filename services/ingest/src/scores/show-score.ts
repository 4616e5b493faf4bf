import type { Score } from "@touchstone/contracts";
import { parseLossless } from "../messages/json-text.ts";
import type { StoredScore } from "./stored-score.ts";

/** A score in a response, for JSON.stringify: numbers of its metadata are as they were sent. */
export function showScore(score: StoredScore): Score {
  const { scoredAt, metadata, createdAt, updatedAt, ...rest } = score;
  return {
    id: rest.id,
    name: rest.name,
    value: rest.value,
    dataType: rest.dataType,
    comment: rest.comment,
    metadata: metadata === null ? null : (parseLossless(metadata) as Score["metadata"]),
    source: rest.source,
    timestamp: scoredAt.toISOString(),
    traceId: rest.traceId,
    spanId: rest.spanId,
    sessionId: rest.sessionId,
    runId: rest.runId,
    caseId: rest.caseId,
    runNumber: rest.runNumber,
    author: rest.author,
    authorId: rest.authorId,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
