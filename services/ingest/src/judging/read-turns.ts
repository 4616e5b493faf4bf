import { isUuid, type RecordedTurn, type turnsQuery } from "@touchstone/contracts";
import type { z } from "zod";
import type { ReadSpan } from "../model/read-span.ts";
import { readRecordedText } from "../model/recorded-text.ts";
import { decodeSpanBody, readBodyMembers } from "../model/span-body.ts";
import type { SessionStore } from "../trace-store/reading/session-store.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";

const turnsMax = 200;
/** For each text, and for all texts together: a longer session is cut. */
const textMaxChars = 1024 * 1024;
const turnsMaxChars = 8 * 1024 * 1024;

/**
 * The questions and answers of a trace or, in start order, of a session. Turns without a question are left out; an
 * unknown id has no turns.
 */
export async function readTurns(
  { traces, sessions }: { traces: TraceStore; sessions: Pick<SessionStore, "findRoots"> },
  query: z.output<typeof turnsQuery>,
): Promise<RecordedTurn[]> {
  const { projectId } = query;
  const turns: RecordedTurn[] = [];
  let left = turnsMaxChars;
  for await (const spans of traces.readSpans(projectId, await findSpans(sessions, query))) {
    for (const span of spans) {
      const turn = await readTurn(span);
      if (turn === null) continue;
      left -= turn.query.length + (turn.actualOutput?.length ?? 0) + (turn.error?.length ?? 0);
      if (left < 0 && turns.length > 0) return turns;
      turns.push(turn);
    }
  }
  return turns;
}

async function findSpans(
  sessions: Pick<SessionStore, "findRoots">,
  { projectId, traceId, sessionId }: z.output<typeof turnsQuery>,
): Promise<string[]> {
  if (traceId !== undefined) return isUuid(traceId) ? [traceId] : [];
  // PostgreSQL text cannot hold NUL, so no session has such a name.
  if (sessionId === undefined || sessionId.includes("\0")) return [];
  return sessions.findRoots(projectId, sessionId, turnsMax);
}

/** Null = no question. */
async function readTurn(span: ReadSpan): Promise<RecordedTurn | null> {
  const { input, output, error } = readBodyMembers(await decodeSpanBody(span.body), ["input", "output", "error"]);
  const query = readRecordedText(input, textMaxChars);
  if (query === null || query.trim() === "") return null;
  return {
    query,
    actualOutput: readRecordedText(output, textMaxChars),
    error: readRecordedText(error, textMaxChars),
    traceId: span.id,
  };
}
