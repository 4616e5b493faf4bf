import { limits, submittedScore, submittedScoreSentences } from "@touchstone/contracts";
import {
  AppError,
  compactText,
  elementsOf,
  isAppError,
  isDeeperThan,
  isJsonObject,
  memberText,
  parseBody,
  parseIsoTime,
  parseJsonText,
  uuidv7,
} from "@touchstone/service-kit";
import type { SentScore } from "./stored-score.ts";

const scoreBody = { schema: submittedScore, sentences: submittedScoreSentences, needed: ["name", "value"] } as const;

/** A year of four digits. */
const instantMaxMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

interface Sender {
  authorId: string | null;
  nowMs: number;
}

/**
 * The scores of a body's text: one, or a list. Of several with one id the last counts. Metadata are stored from the text, so that
 * numbers keep their spelling. Throws `bad_request` for the first mistake.
 */
export function readScores(text: string, sender: Sender): SentScore[] {
  const body = parseJsonText(text, limits.batchNamesMax);
  if (!Array.isArray(body)) return [readScore(body, text, sender)];
  if (body.length === 0 || body.length > limits.scoresPerRequestMax) {
    throw new AppError("bad_request", `A list must have 1 to ${limits.scoresPerRequestMax} scores`);
  }
  const scores = new Map<string, SentScore>();
  const texts = elementsOf(text);
  for (const [index, item] of body.entries()) {
    try {
      const score = readScore(item, texts[index] ?? "", sender);
      scores.set(score.id, score);
    } catch (thrown) {
      if (!isAppError(thrown)) throw thrown;
      throw new AppError("bad_request", `scores[${index}]: ${thrown.message}`, { cause: thrown });
    }
  }
  return [...scores.values()];
}

function readScore(item: unknown, text: string, { authorId, nowMs }: Sender): SentScore {
  const { metadata, judged } = readMetadata(item, text);
  const sent = parseBody(judged, scoreBody);
  const { traceId = null, spanId = null, sessionId = null, runId = null, caseId = null } = sent;
  if ((traceId ?? spanId ?? sessionId ?? runId ?? caseId) === null) {
    throw new AppError("bad_request", "traceId, spanId, sessionId, runId or caseId is required");
  }
  return {
    id: sent.id ?? uuidv7(nowMs),
    name: sent.name,
    ...readValue(sent.value, sent.dataType ?? null),
    comment: sent.comment ?? null,
    metadata,
    source: sent.source ?? "code",
    scoredAt: readTimestamp(sent.timestamp ?? null, nowMs),
    ...{ traceId, spanId, sessionId, runId, caseId },
    runNumber: sent.runNumber ?? null,
    author: sent.author ?? null,
    authorId,
  };
}

/** A boolean may also be sent as 1 or 0. */
function readValue(
  value: number | string | boolean,
  stated: SentScore["dataType"] | null,
): Pick<SentScore, "value" | "dataType"> {
  const own = typeof value === "number" ? "numeric" : typeof value === "boolean" ? "boolean" : "categorical";
  if (stated === null || stated === own) return { value, dataType: own };
  if (stated === "boolean" && (value === 1 || value === 0)) return { value: value === 1, dataType: stated };
  const expected = { numeric: "a number", categorical: "text", boolean: "true or false" }[stated];
  throw new AppError("bad_request", `value must be ${expected}, as dataType is "${stated}"`);
}

/**
 * The metadata of a score, and what the schema judges of it: it would read each of their members, so it gets an object without any
 * in their place.
 */
function readMetadata(item: unknown, text: string): { metadata: string | null; judged: unknown } {
  if (!isJsonObject(item) || !isJsonObject(item.metadata)) return { metadata: null, judged: item };
  const metadata = compactText(memberText(text, "metadata") ?? "{}");
  if (metadata.length > limits.scoreMetadataMaxChars) {
    throw new AppError("bad_request", `metadata must have at most ${limits.scoreMetadataMaxChars} characters of JSON`);
  }
  if (isDeeperThan(item.metadata, limits.jsonDepthMax)) {
    throw new AppError("bad_request", `metadata must not nest deeper than ${limits.jsonDepthMax} levels`);
  }
  return { metadata, judged: { ...item, metadata: {} } };
}

/** A time in the future is now, as for traces. */
function readTimestamp(text: string | null, nowMs: number): Date | null {
  if (text === null) return null;
  const atMs = parseIsoTime(text);
  if (atMs === null) throw new AppError("bad_request", submittedScoreSentences.timestamp);
  if (atMs < 0 || atMs > instantMaxMs) {
    throw new AppError("bad_request", "timestamp must be between 1970 and 9999");
  }
  return new Date(atMs > nowMs + limits.timestampAheadMaxMs ? nowMs : Math.trunc(atMs));
}
