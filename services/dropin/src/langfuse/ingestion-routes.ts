import { setTimeout as sleep } from "node:timers/promises";
import {
  type LangfuseBatchReply,
  type LangfuseEvent,
  langfuseEvent,
  type langfuseScoreReply,
  limits,
  type Route,
  routes,
  type SubmittedSpanUpdate,
  spanUpdatesReply,
  storedScores,
  type submittedScore,
} from "@touchstone/contracts";
import {
  AppError,
  type Call,
  elementsOf,
  type Handler,
  isAppError,
  isJsonObject,
  memberText,
  parseBody,
  readJsonObject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { Owner } from "../owner.ts";
import { toScore } from "./scores.ts";
import { EventError, joinReaches, readSpanEvent } from "./span-updates.ts";

type SubmittedScore = z.input<typeof submittedScore>;

/** Traces and scores in batches of events (dropin 1.3). */
export function ingestionRoutes({ ingest }: { ingest: Owner }): ServedRoute[] {
  return [
    { route: routes.ingestLangfuseBatch, handle: ingestBatch(ingest) },
    { route: routes.createLangfuseScore, handle: createScore(ingest) },
  ];
}

/** What an event asks to store. */
interface Part<Item> {
  eventId: string;
  item: Item;
}

/** `POST /api/public/ingestion`: each event is stored or named among the errors. */
function ingestBatch(ingest: Owner): Handler {
  return async (call) => {
    const { text, value } = await readJsonObject(call);
    const { batch } = parseBody(value, routes.ingestLangfuseBatch.body);
    const eventTexts = elementsOf(memberText(text, "batch") ?? "[]");
    const errors = new Map<string, string>();
    const updates: Part<SubmittedSpanUpdate>[] = [];
    const reaches: SubmittedSpanUpdate[] = [];
    const scores: Part<SubmittedScore>[] = [];
    for (const [index, sent] of batch.entries()) {
      const eventId = idOf(sent);
      try {
        const event = readEvent(sent);
        const ofSpan = readSpanEvent(event, memberText(eventTexts[index] ?? "{}", "body") ?? "{}");
        if (ofSpan !== null) {
          updates.push({ eventId, item: ofSpan.update });
          if (ofSpan.reach !== null) reaches.push(ofSpan.reach);
        } else if (event.type === "score-create") scores.push({ eventId, item: toScore(event.body, event) });
        else if (event.type !== "sdk-log") throw new EventError(`The event type ${event.type} is unknown`);
      } catch (thrown) {
        if (!(thrown instanceof EventError)) throw thrown;
        errors.set(eventId, thrown.message);
      }
    }
    const blame = (eventId: string, message: string): void => void (eventId !== "" && errors.set(eventId, message));
    const withReaches = [...updates, ...joinReaches(reaches).map((item) => ({ eventId: "", item }))];
    await storeInParts(withReaches, blame, async (items) => {
      const body = JSON.stringify({ updates: items });
      const reply = spanUpdatesReply.parse(
        JSON.parse(await askPatiently(ingest, routes.submitSpanUpdates, call, body)),
      );
      return reply.updates.map(({ error }) => error);
    });
    await storeInParts(scores, blame, async (items) => {
      await askPatiently(ingest, routes.submitScores, call, JSON.stringify(items));
      return [];
    });
    const body: LangfuseBatchReply = {
      successes: [...new Set(batch.map(idOf))].filter((id) => !errors.has(id)).map((id) => ({ id, status: 201 })),
      errors: [...errors].map(([id, message]) => ({ id, status: 400, message, error: "InvalidRequestError" })),
    };
    return { status: 207, body };
  };
}

/** `POST /api/public/scores`. */
function createScore(ingest: Owner): Handler {
  return async (call) => {
    const sent = parseBody((await readJsonObject(call)).value, routes.createLangfuseScore.body);
    try {
      const body = JSON.stringify(toScore(sent, null));
      const stored = storedScores.parse(JSON.parse(await askPatiently(ingest, routes.submitScores, call, body)));
      const reply: z.input<typeof langfuseScoreReply> = { id: stored.scores[0]?.id ?? "" };
      return { status: 200, body: reply };
    } catch (thrown) {
      if (thrown instanceof EventError) throw new AppError("bad_request", thrown.message, { cause: thrown });
      throw thrown;
    }
  };
}

function readEvent(sent: unknown): LangfuseEvent {
  const read = langfuseEvent.safeParse(sent);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new EventError(`${issue?.path.join(".") || "The event"} is wrong: ${issue?.message ?? "it is no event"}`);
}

/** An event without an id is answered under the empty one. */
function idOf(sent: unknown): string {
  return isJsonObject(sent) && typeof sent.id === "string" ? sent.id : "";
}

/**
 * Stores the items in as few requests as possible. The owner refuses a list whole for one bad item: then each half is tried
 * by itself. `store` returns the errors of single items.
 */
async function storeInParts<Item>(
  parts: readonly Part<Item>[],
  blame: (eventId: string, message: string) => void,
  store: (items: readonly Item[]) => Promise<readonly (string | undefined)[]>,
): Promise<void> {
  if (parts.length === 0) return;
  const half = Math.ceil(parts.length / 2);
  const inHalves = async (): Promise<void> => {
    await storeInParts(parts.slice(0, half), blame, store);
    await storeInParts(parts.slice(half), blame, store);
  };
  if (parts.length > limits.spanUpdatesMax) return await inHalves();
  try {
    const errors = await store(parts.map(({ item }) => item));
    for (const [index, error] of errors.entries()) if (error !== undefined) blame(parts[index]?.eventId ?? "", error);
  } catch (thrown) {
    if (!isAppError(thrown) || thrown.code !== "bad_request") throw thrown;
    const [only, ...more] = parts;
    if (more.length > 0) return await inHalves();
    blame(only?.eventId ?? "", thrown.message);
  }
}

/** How often a full queue is asked before the request is refused: on 429 clients try for two seconds, then drop. */
const attemptsMax = 4;
const pauseMs = 600;

async function askPatiently(owner: Owner, route: Route, call: Call, body: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await owner.ask(route, call, { body });
    } catch (thrown) {
      const isFull = isAppError(thrown) && (thrown.code === "rate_limited" || thrown.code === "service_unavailable");
      const isShort = isFull && (thrown.retryAfterSeconds ?? 0) * 1000 <= attemptsMax * pauseMs;
      if (!isShort || attempt === attemptsMax) throw thrown;
      // A client that left during the pause is answered like one that waited.
      await sleep(pauseMs, undefined, { signal: call.signal }).catch(() => Promise.reject(thrown));
    }
  }
}
