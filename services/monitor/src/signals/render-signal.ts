import { isUuid, type signal } from "@touchstone/contracts";
import { AppError, type Call } from "@touchstone/service-kit";
import type { z } from "zod";
import type { StoredSignal } from "./signal-row-reader.ts";

/** A signal as the API shows it (completions 9.4). `agentNames` is by id; a deleted agent is shown by its id. */
export function renderSignal(stored: StoredSignal, agentNames: ReadonlyMap<string, string>): z.input<typeof signal> {
  const { agentId } = stored;
  return {
    _id: stored.id,
    workspaceId: "local",
    patternKey: stored.patternKey,
    type: stored.type,
    severity: stored.severity,
    polarity: stored.polarity,
    status: stored.status,
    ...(stored.reviewStatus !== null && { reviewStatus: stored.reviewStatus }),
    ...(stored.recommendedActions !== null && { recommendedActions: stored.recommendedActions as never }),
    summary: stored.summary,
    ...(stored.rootCause !== null && { rootCause: stored.rootCause }),
    ...(agentId !== null && { agentId: { _id: agentId, name: agentNames.get(agentId) ?? agentId } }),
    ...(stored.evidence !== null && { evidence: stored.evidence as never }),
    occurrenceCount: stored.occurrenceCount,
    occurrences: stored.occurrences.map((each) => ({
      id: each.id,
      ...(agentId !== null && { agentId }),
      ...(each.traceId !== null && { traceId: each.traceId }),
      ...(each.sessionId !== null && { sessionId: each.sessionId }),
      seenAt: each.seenAt.toISOString(),
      ...(each.query !== null && { query: each.query }),
      ...(each.responsePreview !== null && { responsePreview: each.responsePreview }),
      ...(each.rating !== null && { rating: each.rating }),
      ...(each.justification !== null && { justification: each.justification }),
      ...(each.verdictId !== null && { verdictId: each.verdictId }),
    })),
    firstSeenAt: stored.firstSeenAt.toISOString(),
    lastSeenAt: stored.lastSeenAt.toISOString(),
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
}

/** The signal in the path. Throws 404 for a malformed id. */
export function signalId(call: Call): string {
  const id = call.params.signalId ?? "";
  return isUuid(id) ? id : signalNotFound();
}

export function signalNotFound(): never {
  throw new AppError("not_found", "Signal not found");
}
