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
  elementsOf,
  type Handler,
  isJsonObject,
  memberText,
  parseBody,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { Owner } from "../owner.ts";
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
    const { text, value } = await readJsonObject(call);
    const { batch } = parseBody(value, routes.ingestLangfuseBatch.body);
    const eventTexts = elementsOf(memberText(text, "batch") ?? "[]");
    const errors = new Map<string, string>();
    const updates: Part<SubmittedSpanUpdate>[] = [];
    const reaches: SubmittedSpanUpdate[] = [];
    const scores: Part<string>[] = [];
    const projectId = requireProject(call);
    const nowMs = clock.now();
    for (const [index, sent] of batch.entries()) {
      const eventId = idOf(sent);
      try {
        const event = readEvent(sent);
        const bodyText = memberText(eventTexts[index] ?? "{}", "body") ?? "{}";
        const ofSpan = readSpanEvent(event, bodyText, nowMs);
        if (ofSpan !== null) {
          updates.push({ eventId, item: ofSpan.update });
          if (ofSpan.reach !== null) reaches.push(ofSpan.reach);
        } else if (event.type === "score-create") {
          scores.push({ eventId, item: toScore({ body: event.body, bodyText, event, projectId, nowMs }) });
        } else if (event.type !== "sdk-log") throw new EventError(`The event type ${event.type} is unknown`);
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
    await storeScores(ingest, call, scores, blame);
    const body: LangfuseBatchReply = {
      successes: [...new Set(batch.map(idOf))].filter((id) => !errors.has(id)).map((id) => ({ id, status: 201 })),
      errors: [...errors].map(([id, message]) => ({ id, status: 400, message, error: "InvalidRequestError" })),
    };
    return { status: 207, body };
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
