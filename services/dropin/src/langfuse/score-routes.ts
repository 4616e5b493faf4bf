import {
  langfuseScore,
  type langfuseScoreReply,
  langfuseScoreSentences,
  type langfuseScoresReply,
  limits,
  routes,
  storedScores,
} from "@touchstone/contracts";
import {
  AppError,
  type Call,
  type Clock,
  type Handler,
  isJsonObject,
  parseBody,
  readJsonText,
  refuseBadJson,
  requireProject,
  runInSlices,
  type ServedRoute,
  type Sliced,
  scanBody,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { Owner } from "../owner.ts";
import { readItems, requireParsed, type SentItem } from "./read-items.ts";
import { toScore } from "./scores.ts";
import { EventError } from "./span-updates.ts";
import { askPatiently, type Part, storeInParts } from "./store-in-parts.ts";

/** Scores without events (dropin 1.3). */
export function scoreRoutes({ ingest, clock }: { ingest: Owner; clock: Clock }): ServedRoute[] {
  return [{ route: routes.createLangfuseScore, handle: createScores(ingest, clock) }];
}

/** Stores scores, given as JSON texts. */
export function storeScores(
  ingest: Owner,
  call: Call,
  scores: readonly Part<string>[],
  blame: (eventId: string, message: string) => void,
): Promise<void> {
  return storeInParts(scores, blame, async (items) => {
    // Of one score by itself the refusal does not name the place.
    await askPatiently(ingest, routes.submitScores, call, items.length === 1 ? items.join() : `[${items.join()}]`);
    return [];
  });
}

/** `POST /api/public/scores`: one score, or a list of which each is stored or named among the errors. */
function createScores(ingest: Owner, clock: Clock): Handler {
  return async (call) => {
    const text = await readJsonText(call);
    const work = readScores(text, { projectId: requireProject(call), nowMs: clock.now(), namesMax: call.namesMax });
    const read = await runInSlices(work, call.signal).catch(refuseBadJson);
    return "score" in read ? createOne(ingest, call, read.score) : createList(ingest, call, read);
  };
}

const scoreBody = { schema: langfuseScore, sentences: langfuseScoreSentences, needed: [] } as const;

/** One score, or the scores of a list; `errors` by the position in it. */
type ReadScores = { score: string } | ReadList;
interface ReadList {
  count: number;
  scores: Part<string>[];
  errors: Map<string, string>;
}

type Reading = Pick<Parameters<typeof toScore>[0], "projectId" | "nowMs">;

function* readScores(text: string, reading: Reading & { namesMax: number | undefined }): Sliced<ReadScores> {
  const { type } = yield* scanBody(text, reading.namesMax);
  if (type === "array") return yield* readList(yield* readItems(text), reading);
  const [item] = yield* readItems(`[${text}]`);
  try {
    requireParsed(item, "score");
    const body = parseBody(item.value, scoreBody);
    return { score: toScore({ ...reading, body, bodyText: item.text, event: null }) };
  } catch (thrown) {
    if (thrown instanceof EventError) throw new AppError("bad_request", thrown.message, { cause: thrown });
    throw thrown;
  }
}

function* readList(items: readonly SentItem[], reading: Reading): Sliced<ReadList> {
  if (items.length === 0 || items.length > limits.langfuseEventsMax) {
    throw new AppError("bad_request", `A list must have 1 to ${limits.langfuseEventsMax} scores`);
  }
  const read: ReadList = { count: items.length, scores: [], errors: new Map() };
  for (const [index, item] of items.entries()) {
    yield;
    const eventId = String(index);
    try {
      requireParsed(item, "score");
      if (!isJsonObject(item.value)) throw new EventError("It must be an object");
      const score = toScore({ ...reading, body: item.value, bodyText: item.text, event: null });
      read.scores.push({ eventId, item: score });
    } catch (thrown) {
      if (!(thrown instanceof EventError)) throw thrown;
      read.errors.set(eventId, thrown.message);
    }
  }
  return read;
}

async function createOne(ingest: Owner, call: Call, score: string) {
  const stored = storedScores.parse(JSON.parse(await askPatiently(ingest, routes.submitScores, call, score)));
  const body: z.input<typeof langfuseScoreReply> = { id: stored.scores[0]?.id ?? "" };
  return { status: 200, body };
}

async function createList(ingest: Owner, call: Call, { count, scores, errors }: ReadList) {
  await storeScores(ingest, call, scores, (eventId, message) => void errors.set(eventId, message));
  if (errors.size === 0) return { status: 202, body: { message: "Accepted" } };
  const body: z.input<typeof langfuseScoresReply> = {
    accepted: count - errors.size,
    rejected: errors.size,
    errors: [...errors].map(([index, message]) => ({ message: `scores[${index}]: ${message}` })),
  };
  return { status: 207, body };
}
