import { isStorable, limits, scoreSource } from "@touchstone/contracts";
import { AppError, type Call, parseIsoTime, readParameter, requireLimit } from "@touchstone/service-kit";
import type { ScoreFilter, ScoreListQuery } from "./score-store.ts";
import type { ScorePosition } from "./stored-score.ts";

/** Reads the query of `GET /scores`. Throws `bad_request` for a value that is none. */
export function readScoreQuery({ query, makeRoom }: Pick<Call, "query" | "makeRoom">): ScoreListQuery {
  const one = (name: string): string | null => readParameter(query, name);
  // PostgreSQL's text has no such value, so nothing is found by it.
  const text = (name: string): string | null => {
    const value = one(name);
    if (value !== null && !isStorable(value)) throw new AppError("bad_request", `${name} must not contain NUL`);
    return value;
  };
  const filter: ScoreFilter = {
    name: text("name"),
    source: readSource(one("source")),
    traceId: text("traceId"),
    spanId: text("spanId"),
    sessionId: text("sessionId"),
    runId: text("runId"),
    caseId: text("caseId"),
    from: readInstant("from", one("from")),
    to: readInstant("to", one("to")),
  };
  return {
    filter,
    after: readPosition(text("cursor")),
    limit: requireLimit(Number(one("limit") ?? limits.scorePageDefault), limits.scorePageMax),
    makeRoom,
  };
}

/** The cursor that {@link readPosition} parses. */
export const writePosition = ({ scoredAt, id }: ScorePosition): string => `${scoredAt.getTime()}.${id}`;

/** Null: from the beginning. */
export function readPosition(cursor: string | null): ScorePosition | null {
  if (cursor === null) return null;
  const [, ms, id] = /^(\d{1,15})\.(.+)$/s.exec(cursor) ?? [];
  if (ms === undefined || id === undefined) throw new AppError("bad_request", "Unknown cursor");
  return { scoredAt: new Date(Number(ms)), id };
}

function readSource(text: string | null): ScoreFilter["source"] {
  if (text === null) return null;
  const read = scoreSource.safeParse(text);
  if (read.success) return read.data;
  throw new AppError("bad_request", "source must be human, code, model or import", { cause: read.error });
}

/** Times that a score can have; an earlier or later one is the first or last of them. */
function readInstant(name: string, text: string | null): Date | null {
  if (text === null) return null;
  const atMs = parseIsoTime(text);
  if (atMs === null) throw new AppError("bad_request", `${name} must be an ISO 8601 date`);
  return new Date(Math.min(Math.max(Math.ceil(atMs), 0), Date.UTC(9999, 11, 31, 23, 59, 59, 999)));
}
