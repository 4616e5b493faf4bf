import type { Severity } from "../model/finding.ts";
import { type LinkedThing, linksOf, type PublicAddress } from "./public-address.ts";

/** The content of a message (completions 10). Unknown members are null. */
export interface Message extends LinkedThing {
  /** The `webhook-id`: the same for every try. */
  id: string;
  event: string;
  severity: Severity;
  summary: string;
  patternKey: string | null;
  agentId: string | null;
  rootCause: string | null;
  traceId: string | null;
  sessionId: string | null;
  createdAt: Date;
}

/** The body of a message as it is sent. Chat tools show `text`; with a public address it has links. */
export function composeMessage(message: Message, publicAddress: PublicAddress | null): string {
  const { id, event, severity, summary, patternKey, agentId, rootCause, traceId, sessionId, signalId } = message;
  return JSON.stringify({
    id,
    event,
    text: `[Monitor] ${severity.toUpperCase()}: ${plainText(summary)}`,
    severity,
    patternKey,
    agentId,
    rootCause,
    summary,
    traceId,
    sessionId,
    signalId,
    createdAt: message.createdAt.toISOString(),
    ...linksOf(message, publicAddress),
  });
}

const textMaxChars = 500;

/** One line without the brackets that chat tools read as mentions and links: a summary may have the name of a trace. */
function plainText(summary: string): string {
  const line = summary
    .replace(/[\p{Cc}\s]+/gu, " ")
    .replaceAll("<", "‹")
    .replaceAll(">", "›");
  return line.length <= textMaxChars ? line : `${line.slice(0, textMaxChars - 1).toWellFormed()}…`;
}
