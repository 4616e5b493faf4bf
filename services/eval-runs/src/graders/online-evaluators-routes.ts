import { isUuid, type onlineEvaluatorReply, routes } from "@touchstone/contracts";
import {
  AppError,
  actOf,
  type Call,
  type Handler,
  memberValue,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { ConfigBook } from "./config-book.ts";
import type { ConfigStore, StoredConfig } from "./config-store.ts";

/** Online evaluators: the live profiles of judge scorers, with separate ids (completions 9.5). */
export function onlineEvaluatorRoutes(dependencies: { book: ConfigBook; configs: ConfigStore }): ServedRoute[] {
  return [
    { route: routes.createOnlineEvaluator, handle: createOnlineEvaluator(dependencies) },
    { route: routes.listOnlineEvaluators, handle: listOnlineEvaluators(dependencies) },
    { route: routes.getOnlineEvaluator, handle: getOnlineEvaluator(dependencies) },
    { route: routes.updateOnlineEvaluator, handle: updateOnlineEvaluator(dependencies) },
    { route: routes.deleteOnlineEvaluator, handle: deleteOnlineEvaluator(dependencies) },
  ];
}

/** POST /monitor/online-evaluators (completions 9.5). */
function createOnlineEvaluator({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const { value } = await readJsonObject(call);
    const { name, evaluationSettingsId: id } = value;
    if (typeof name !== "string" || name.trim() === "") {
      throw new AppError("bad_request", "Online evaluator name is required");
    }
    if (typeof id !== "string" || id === "") throw new AppError("bad_request", "evaluationSettingsId is required");
    const change = { members: [], isDefault: undefined, online: value, attaches: true } as const;
    const config = isUuid(id) ? await book.update(requireProject(call), id, change, actOf(call.identity)) : null;
    if (config === null) {
      throw new AppError("bad_request", `evaluationSettingsId "${id}" does not refer to an existing evaluator config`);
    }
    return { status: 201, body: renderEvaluator(config) };
  };
}

/** GET /monitor/online-evaluators (completions 9.5). */
function listOnlineEvaluators({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const evaluators: ReturnType<typeof renderEvaluators> = [];
    for await (const config of configs.live(requireProject(call))) evaluators.push(...renderEvaluators(config));
    return { status: 200, body: { evaluators } };
  };
}

/** GET /monitor/online-evaluators/{onlineEvaluatorId} (completions 9.5). */
function getOnlineEvaluator({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => ({ status: 200, body: renderEvaluator(await requireEvaluatorConfig(call, configs)) });
}

/** PUT /monitor/online-evaluators/{onlineEvaluatorId} (completions 9.5): changes only the members that were sent. */
function updateOnlineEvaluator({ book, configs }: { book: ConfigBook; configs: ConfigStore }): Handler {
  return async (call) => {
    const { value: online } = await readJsonObject(call);
    const { id, profileId } = await requireEvaluatorConfig(call, configs);
    const change = { members: [], isDefault: undefined, online, profileId };
    const config = await book.update(requireProject(call), id, change, actOf(call.identity));
    return { status: 200, body: renderEvaluator(config) };
  };
}

/** DELETE /monitor/online-evaluators/{onlineEvaluatorId} (completions 9.5): the config itself stays. */
function deleteOnlineEvaluator({ book, configs }: { book: ConfigBook; configs: ConfigStore }): Handler {
  return async (call) => {
    const { id, profileId } = await requireEvaluatorConfig(call, configs);
    const change = { members: [], isDefault: undefined, online: null, profileId };
    const config = await book.update(requireProject(call), id, change, actOf(call.identity));
    return config === null ? evaluatorNotFound() : { status: 204 };
  };
}

/** The config with the live profile in the path, and the id of that. Throws 404 when there is none. */
async function requireEvaluatorConfig(call: Call, configs: Pick<ConfigStore, "live">) {
  const profileId = call.params.onlineEvaluatorId;
  for await (const config of configs.live(requireProject(call))) {
    if (profileId !== undefined && config.online?.profileId === profileId) return { ...config, profileId };
  }
  return evaluatorNotFound();
}

function evaluatorNotFound(): never {
  throw new AppError("not_found", "Online evaluator not found");
}

/** A live profile as clients read it; empty if the config has none. */
function renderEvaluators(config: StoredConfig): z.input<typeof onlineEvaluatorReply>["evaluator"][] {
  const { id, document, online, createdAt } = config;
  if (online === null) return [];
  const { profileId, name, builtinKey: _, ...settings } = online;
  return [
    {
      _id: profileId,
      name: name ?? (memberValue(document, "name") as string),
      evaluationSettingsId: id,
      ...settings,
      agentIds: [...settings.agentIds],
      createdAt: createdAt.toISOString(),
    },
  ];
}

/** The same for a config that was just stored with one. */
function renderEvaluator(config: StoredConfig | null): z.input<typeof onlineEvaluatorReply> {
  const [evaluator] = config === null ? [] : renderEvaluators(config);
  return { evaluator: evaluator ?? evaluatorNotFound() };
}
