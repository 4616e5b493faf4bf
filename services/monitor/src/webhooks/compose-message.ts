import type { Severity } from "../signals/signal.ts";

/** What a receiver is told (completions 10). Unknown members are null. */
export interface Message {
  /** The `webhook-id`: the same at every try. */
  id: string;
  event: string;
  severity: Severity;
  summary: string;
  patternKey: string | null;
  agentId: string | null;
  rootCause: string | null;
  traceId: string | null;
  sessionId: string | null;
  signalId: string | null;
  createdAt: Date;
}

/**
 * The body of a message, as it is sent. `text` is what chat tools show. With a public address there is `baseUrl`, and
 * `link` to where the signal is read with a key.
 */
export function composeMessage(message: Message, publicUrl: string | null): string {
  const { id, event, severity, summary, patternKey, agentId, rootCause, traceId, sessionId, signalId } = message;
  const baseUrl = publicUrl?.replace(/\/+$/, "") ?? null;
  return JSON.stringify({
    id,
    event,
    text: `[Monitor] ${severity.toUpperCase()}: ${summary}`,
    severity,
    patternKey,
    agentId,
    rootCause,
    summary,
    traceId,
    sessionId,
    signalId,
    createdAt: message.createdAt.toISOString(),
    ...(baseUrl !== null && { baseUrl }),
    ...(baseUrl !== null && signalId !== null && { link: `${baseUrl}/api/v1/monitor/signals/${signalId}` }),
  });
}
