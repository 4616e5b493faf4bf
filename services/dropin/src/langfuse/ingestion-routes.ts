import {
  type LangfuseBatchReply,
  type LangfuseEvent,
  langfuseEvent,
  routes,
  type SubmittedSpanUpdate,
  spanUpdatesReply,
} from "@touchstone/contracts";
import {
  type Clock,
  type Handler,
  isJsonObject,
  memberText,
  memberValue,
  parseBody,
  readJsonText,
  refuseBadJson,
  requireProject,
  runInSlices,
  type ServedRoute,
  type Sliced,
  scanBody,
} from "@touchstone/service-kit";
import type { Owner } from "../owner.ts";
import { readItems, requireParsed, type SentItem } from "./read-items.ts";
import { storeScores } from "./score-routes.ts";
import { toScore } from "./scores.ts";
import { EventError, joinReaches, readSpanEvent } from "./span-updates.ts";
import { askPatiently, type Part, storeInParts } from "./store-in-parts.ts";

/** Traces and scores in batches of events (dropin 1.3). */
export function ingestionRoutes({ ingest, clock }: { ingest: Owner; clock: Clock }): ServedRoute[] {
  return [{ route: routes.ingestLangfuseBatch, handle: ingestBatch(ingest, clock) }];
}

/** `POST /api/public/ingestion`: each event is stored or named among the errors. */
function ingestBatch(ingest: Owner, clock: Clock): Handler {
  return async (call) => {
    const text = await readJsonText(call);
    const projectId = requireProject(call);
    const work = readBatch(text, { projectId, nowMs: clock.now(), namesMax: call.namesMax });
    const { ids, errors, updates, reaches, scores } = await runInSlices(work, call.signal).catch(refuseBadJson);
    const blame = (eventId: string, message: string): void => void (eventId !== "" && errors.set(eventId, message));
    const withReaches = [...updates, ...joinReaches(reaches).map((item) => ({ eventId: "", item }))];
    await storeInParts(withReaches, blame, async (items) => {
      const body = JSON.stringify({ updates: items });
      const reply = spanUpdatesReply.parse(
        JSON.parse(await askPatiently(ingest, routes.submitSpanUpdates, call, body)),
      );
      return reply.updates.map(({ error }) => error);
    });
    await storeScores(ingest, call, scores, blame);
    const body: LangfuseBatchReply = {
      successes: [...ids].filter((id) => !errors.has(id)).map((id) => ({ id, status: 201 })),
      errors: [...errors].map(([id, message]) => ({ id, status: 400, message, error: "InvalidRequestError" })),
    };
    return { status: 207, body };
  };
}

/** What the events of a batch state. */
interface ReadEvents {
  ids: Set<string>;
  updates: Part<SubmittedSpanUpdate>[];
  reaches: SubmittedSpanUpdate[];
  scores: Part<string>[];
  /** By the id of the event. */
  errors: Map<string, string>;
}

function* readBatch(
  text: string,
  { projectId, nowMs, namesMax }: { projectId: string; nowMs: number; namesMax: number | undefined },
): Sliced<ReadEvents> {
  const sent = text === "" ? null : (yield* scanBody(text, namesMax)).members?.get("batch");
  const items = sent?.type === "array" ? yield* readItems(sent.text) : null;
  parseBody({ batch: items?.map(({ value }) => value) }, routes.ingestLangfuseBatch.body);
  const read: ReadEvents = { ids: new Set(), updates: [], reaches: [], scores: [], errors: new Map() };
  for (const item of items ?? []) {
    yield;
    const eventId = idOf(item);
    read.ids.add(eventId);
    try {
      requireParsed(item, "event");
      const event = readEvent(item.value);
      const bodyText = memberText(item.text, "body") ?? "{}";
      const ofSpan = readSpanEvent(event, bodyText, nowMs);
      if (ofSpan !== null) {
        read.updates.push({ eventId, item: ofSpan.update });
        if (ofSpan.reach !== null) read.reaches.push(ofSpan.reach);
      } else if (event.type === "score-create") {
        read.scores.push({ eventId, item: toScore({ body: event.body, bodyText, event, projectId, nowMs }) });
      } else if (event.type !== "sdk-log") throw new EventError(`The event type ${event.type} is unknown`);
    } catch (thrown) {
      if (!(thrown instanceof EventError)) throw thrown;
      read.errors.set(eventId, thrown.message);
    }
  }
  return read;
}

function readEvent(sent: unknown): LangfuseEvent {
  const read = langfuseEvent.safeParse(sent);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new EventError(`${issue?.path.join(".") || "The event"} is wrong: ${issue?.message ?? "it is no event"}`);
}

/** An event without an id is answered under the empty one. */
function idOf({ value, text }: SentItem): string {
  const id = value === undefined ? memberValue(text, "id") : isJsonObject(value) ? value.id : "";
  return typeof id === "string" ? id : "";
}
