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
  decodeJsonText,
  elementsOf,
  type Handler,
  isJsonObject,
  parseBody,
  parseJsonText,
  readJsonBytes,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { Owner } from "../owner.ts";
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
    const text = decodeJsonText(await readJsonBytes(call));
    const sent = parseJsonText(text, call.namesMax);
    const nowMs = clock.now();
    return Array.isArray(sent)
      ? createList(ingest, call, { sent, text, nowMs })
      : createOne(ingest, call, { sent, text, nowMs });
  };
}

const scoreBody = { schema: langfuseScore, sentences: langfuseScoreSentences, needed: [] } as const;

/** The body of a request, parsed and as text. */
interface SentBody<Body> {
  sent: Body;
  text: string;
  nowMs: number;
}

async function createOne(ingest: Owner, call: Call, { sent, text, nowMs }: SentBody<unknown>) {
  const body = parseBody(sent, scoreBody);
  try {
    const score = toScore({ body, bodyText: text, event: null, projectId: requireProject(call), nowMs });
    const stored = storedScores.parse(JSON.parse(await askPatiently(ingest, routes.submitScores, call, score)));
    const reply: z.input<typeof langfuseScoreReply> = { id: stored.scores[0]?.id ?? "" };
    return { status: 200, body: reply };
  } catch (thrown) {
    if (thrown instanceof EventError) throw new AppError("bad_request", thrown.message, { cause: thrown });
    throw thrown;
  }
}

async function createList(ingest: Owner, call: Call, { sent, text, nowMs }: SentBody<readonly unknown[]>) {
  if (sent.length === 0 || sent.length > limits.langfuseEventsMax) {
    throw new AppError("bad_request", `A list must have 1 to ${limits.langfuseEventsMax} scores`);
  }
  const projectId = requireProject(call);
  const texts = elementsOf(text);
  const errors = new Map<string, string>();
  const scores: Part<string>[] = [];
  for (const [index, body] of sent.entries()) {
    const eventId = String(index);
    try {
      if (!isJsonObject(body)) throw new EventError("It must be an object");
      scores.push({ eventId, item: toScore({ body, bodyText: texts[index] ?? "{}", event: null, projectId, nowMs }) });
    } catch (thrown) {
      if (!(thrown instanceof EventError)) throw thrown;
      errors.set(eventId, thrown.message);
    }
  }
  await storeScores(ingest, call, scores, (eventId, message) => void errors.set(eventId, message));
  if (errors.size === 0) return { status: 202, body: { message: "Accepted" } };
  const body: z.input<typeof langfuseScoresReply> = {
    accepted: sent.length - errors.size,
    rejected: errors.size,
    errors: [...errors].map(([index, message]) => ({ message: `scores[${index}]: ${message}` })),
  };
  return { status: 207, body };
}
