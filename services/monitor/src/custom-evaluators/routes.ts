import {
  type customEvaluatorEvents,
  type customEvaluatorReply,
  isUuid,
  readDashboardWindow,
  routes,
  stretchesOf,
} from "@touchstone/contracts";
import {
  AppError,
  actOf,
  type Call,
  type Clock,
  endOfList,
  type Handler,
  type OutboundReach,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import { readListQuery } from "../lists/document-reader.ts";
import { previewOf } from "../model/finding.ts";
import type { AskEvaluator } from "./ask-evaluator.ts";
import type { StoredEvaluator } from "./evaluator.ts";
import { composeEvaluatorDocument } from "./evaluator-document.ts";
import type { EvaluatorEventReader } from "./evaluator-event-reader.ts";
import type { EvaluatorStore } from "./evaluator-store.ts";
import { tryCustomEvaluator } from "./try-custom-evaluator.ts";

export interface CustomEvaluatorRouteDependencies {
  evaluators: EvaluatorStore;
  evaluatorEvents: EvaluatorEventReader;
  askEvaluator: AskEvaluator;
  /** The addresses that external scorers may have. */
  reach: OutboundReach;
  ingest: IngestClient;
  clock: Clock;
}

/** Custom scorers (completions 4.5). */
export function customEvaluatorRoutes(dependencies: CustomEvaluatorRouteDependencies): ServedRoute[] {
  return [
    { route: routes.createCustomEvaluator, handle: createCustomEvaluator(dependencies) },
    { route: routes.listCustomEvaluators, handle: listCustomEvaluators(dependencies) },
    { route: routes.tryCustomEvaluator, handle: tryCustomEvaluator(dependencies) },
    { route: routes.updateCustomEvaluator, handle: updateCustomEvaluator(dependencies) },
    { route: routes.deleteCustomEvaluator, handle: deleteCustomEvaluator(dependencies) },
    { route: routes.listCustomEvaluatorEvents, handle: listCustomEvaluatorEvents(dependencies) },
  ];
}

/** POST /agent-monitoring/custom-evaluators (completions 4.5). */
function createCustomEvaluator({
  evaluators,
  reach,
  clock,
}: {
  evaluators: Pick<EvaluatorStore, "create">;
  reach: OutboundReach;
  clock: Clock;
}): Handler {
  return async (call) => {
    const document = composeEvaluatorDocument((await readJsonObject(call)).value, null, reach);
    const now = new Date(clock.now());
    const evaluator = await evaluators.create(requireProject(call), document, now, actOf(call.identity));
    return { status: 201, body: { evaluator: renderEvaluator(evaluator) } };
  };
}

/** GET /agent-monitoring/custom-evaluators (completions 4.5). */
function listCustomEvaluators({ evaluators }: { evaluators: Pick<EvaluatorStore, "list"> }): Handler {
  return async (call) => {
    const page = await evaluators.list(requireProject(call), readListQuery(call, "a custom scorer"));
    return { status: 200, body: { evaluators: page.rows.map(renderEvaluator), ...endOfList(page, ({ id }) => id) } };
  };
}

/**
 * PUT /agent-monitoring/custom-evaluators/{customEvaluatorId} (completions 4.5): changes only the members that were sent.
 */
function updateCustomEvaluator({
  evaluators,
  reach,
  clock,
}: {
  evaluators: Pick<EvaluatorStore, "update">;
  reach: OutboundReach;
  clock: Clock;
}): Handler {
  return async (call) => {
    const sent = (await readJsonObject(call)).value;
    const evaluator = await evaluators.update(requireProject(call), evaluatorIdOf(call), {
      now: new Date(clock.now()),
      compose: (stored) => composeEvaluatorDocument(sent, stored, reach),
      act: actOf(call.identity),
    });
    return { status: 200, body: { evaluator: renderEvaluator(evaluator ?? evaluatorNotFound()) } };
  };
}

/** DELETE /agent-monitoring/custom-evaluators/{customEvaluatorId} (completions 4.5). Its results stay. */
function deleteCustomEvaluator({ evaluators }: { evaluators: Pick<EvaluatorStore, "delete"> }): Handler {
  return async (call) => {
    const isGone = await evaluators.delete(requireProject(call), evaluatorIdOf(call), actOf(call.identity));
    return isGone ? { status: 204 } : evaluatorNotFound();
  };
}

/** Each event requires reading a trace. */
const eventsMax = 20;

/** GET /agent-monitoring/custom-evaluators/{customEvaluatorId}/events (completions 4.5). */
function listCustomEvaluatorEvents(dependencies: {
  evaluators: Pick<EvaluatorStore, "find">;
  evaluatorEvents: EvaluatorEventReader;
  ingest: Pick<IngestClient, "readTrace">;
  clock: Clock;
}): Handler {
  const { evaluators, evaluatorEvents, ingest, clock } = dependencies;
  return async (call) => {
    const projectId = requireProject(call);
    const evaluator = (await evaluators.find(projectId, evaluatorIdOf(call))) ?? evaluatorNotFound();
    const window = readDashboardWindow(call.query.window);
    const { since } = stretchesOf(window, clock.now());
    const said = await evaluatorEvents.listWorst(projectId, evaluator.id, { since, limit: eventsMax });
    const events = await Promise.all(
      said.map(async (event) => {
        const trace = event.traceId === null ? null : await ingest.readTrace(projectId, event.traceId);
        return { ...event, input: previewOf(trace?.input ?? null), output: previewOf(trace?.output ?? null) };
      }),
    );
    const body: z.input<typeof customEvaluatorEvents> = { window, events };
    return { status: 200, body };
  };
}

/** The id of the custom scorer in the path. Throws 404 for a malformed one. */
function evaluatorIdOf(call: Call): string {
  const { customEvaluatorId = "" } = call.params;
  return isUuid(customEvaluatorId) ? customEvaluatorId : evaluatorNotFound();
}

function evaluatorNotFound(): never {
  throw new AppError("not_found", "Custom evaluator not found");
}

/** A custom scorer as the API shows it. */
function renderEvaluator(stored: StoredEvaluator): z.input<typeof customEvaluatorReply>["evaluator"] {
  const { id, document, createdAt, updatedAt } = stored;
  return {
    _id: id,
    ...document,
    agentIds: [...document.agentIds],
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
