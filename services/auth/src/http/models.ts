import {
  type BuiltInModel,
  builtInModels,
  catalogueOf,
  defaultPricedModel,
  limits,
  routes,
} from "@touchstone/contracts";
import {
  AppError,
  type Handler,
  maskSecret,
  type OutboundFetch,
  type OutboundReach,
  parseBody,
  type ServedRoute,
} from "@touchstone/service-kit";
import { actOf, recordAudit } from "../audit/audit-event-store.ts";
import { testConnection } from "../models/connection-test.ts";
import { describeModelChange, type ModelChange } from "../models/model.ts";
import type { ModelStore } from "../models/model-store.ts";
import { composeChangedModel, composeNewModel, composeTestedConnection } from "../models/submitted-model.ts";
import { type ProjectSettingsStore, requireOwnProject } from "../settings/project-settings-store.ts";

/** The catalogue of models (completions 7.5, 11.1). */
export function listModelRoutes(dependencies: {
  settings: ProjectSettingsStore;
  models: ModelStore;
  multiTenant: boolean;
  /** The networks in which endpoints of custom models may be. */
  modelReach: OutboundReach;
  fetchModels: OutboundFetch;
}): ServedRoute[] {
  return [
    { route: routes.listModels, handle: listModels(dependencies) },
    { route: routes.createModel, handle: createModel(dependencies) },
    { route: routes.testModelConnection, handle: testModelConnection(dependencies) },
    { route: routes.updateModel, handle: updateModel(dependencies) },
    { route: routes.deleteModel, handle: deleteModel(dependencies) },
    { route: routes.listJudgeModels, handle: listJudgeModels(dependencies) },
    { route: routes.readModelCatalogue, handle: readModelCatalogue(dependencies) },
  ];
}

interface ListModelsDependencies {
  settings: ProjectSettingsStore;
  models: ModelStore;
}

/** `GET /agent-monitoring/portability/models`: the default first, then by id (completions 11.1). */
function listModels({ settings, models }: ListModelsDependencies): Handler {
  return async (call) => {
    const catalogue = catalogueOf(await models.list(await requireOwnProject(settings, call)));
    return { status: 200, body: { models: [...catalogue.values()].map(showModel) } };
  };
}

interface CreateModelDependencies {
  settings: ProjectSettingsStore;
  models: ModelStore;
  modelReach: OutboundReach;
}

/** `POST /agent-monitoring/portability/models`: adds a model to the catalogue (completions 11.1). */
function createModel({ settings, models, modelReach }: CreateModelDependencies): Handler {
  return async (call) => {
    const model = composeNewModel(parseBody(await call.json(), routes.createModel.body), modelReach);
    const owner = await requireOwnProject(settings, call);
    await models.change(
      owner,
      (changes) => {
        if (catalogueOf(changes).has(model.model)) {
          throw new AppError("conflict", `A model with id "${model.model}" already exists`);
        }
        if (changes.length >= limits.modelPricesMax) {
          throw new AppError("bad_request", `there may be ${limits.modelPricesMax} models of one's own`);
        }
        return { put: model };
      },
      (transaction) =>
        recordAudit(transaction, {
          ...actOf(call.identity),
          action: "model.created",
          projectId: owner.projectId,
          targetId: model.model,
          details: describeModelChange(null, model),
        }),
    );
    return { status: 201, body: { model: showModel(model) } };
  };
}

interface TestModelConnectionDependencies {
  settings: ProjectSettingsStore;
  modelReach: OutboundReach;
  fetchModels: OutboundFetch;
}

/**
 * `POST /agent-monitoring/portability/models/test-connection` (completions 11.1). A failing endpoint is reported in a
 * normal answer.
 */
function testModelConnection({ settings, modelReach, fetchModels }: TestModelConnectionDependencies): Handler {
  return async (call) => {
    const connection = composeTestedConnection(
      parseBody(await call.json(), routes.testModelConnection.body),
      modelReach,
    );
    await requireOwnProject(settings, call);
    return { status: 200, body: { ...(await testConnection(fetchModels, connection)) } };
  };
}

interface UpdateModelDependencies {
  settings: ProjectSettingsStore;
  models: ModelStore;
  modelReach: OutboundReach;
  multiTenant: boolean;
}

/**
 * `PUT /agent-monitoring/portability/models/{modelId}`: changes a model, including built-in ones outside multi-tenant
 * mode.
 */
function updateModel({ settings, models, modelReach, multiTenant }: UpdateModelDependencies): Handler {
  return async (call) => {
    const body = await call.json();
    const id = call.params.modelId ?? "";
    const owner = await requireOwnProject(settings, call);
    let changed: ModelChange | null = null;
    let details: ReturnType<typeof describeModelChange> = {};
    await models.change(
      owner,
      (changes) => {
        const before = catalogueOf(changes).get(id);
        if (before === undefined) throw new AppError("not_found", "Model not found");
        refuseBuiltIn(id, multiTenant);
        const known = { baseUrl: null, apiKey: null, isRemoved: false, ...before };
        changed = composeChangedModel(parseBody(body, routes.updateModel.body), known, modelReach);
        details = describeModelChange(known, changed);
        return { put: changed };
      },
      (transaction) =>
        recordAudit(transaction, {
          ...actOf(call.identity),
          action: "model.changed",
          projectId: owner.projectId,
          targetId: id,
          details,
        }),
    );
    if (changed === null) throw new Error("a change of a model decided nothing");
    return { status: 200, body: { model: showModel(changed) } };
  };
}

interface DeleteModelDependencies {
  settings: ProjectSettingsStore;
  models: ModelStore;
  multiTenant: boolean;
}

/** `DELETE /agent-monitoring/portability/models/{modelId}`: a built-in model does not return (completions 11.1). */
function deleteModel({ settings, models, multiTenant }: DeleteModelDependencies): Handler {
  return async (call) => {
    const id = call.params.modelId ?? "";
    const owner = await requireOwnProject(settings, call);
    await models.change(
      owner,
      (changes) => {
        const model = catalogueOf(changes).get(id);
        if (model === undefined) throw new AppError("not_found", "Model not found");
        refuseBuiltIn(id, multiTenant);
        if (!isBuiltIn(id)) return { remove: id };
        return { put: { ...model, baseUrl: null, apiKey: null, isRemoved: true } };
      },
      (transaction) =>
        recordAudit(transaction, {
          ...actOf(call.identity),
          action: "model.removed",
          projectId: owner.projectId,
          targetId: id,
        }),
    );
    return { status: 200, body: { success: true } };
  };
}

/** `GET /custom-agent-evaluations/models`: the models available to judges, with their prices (completions 7.5). */
function listJudgeModels({ settings, models }: ListModelsDependencies): Handler {
  return async (call) => {
    const catalogue = catalogueOf(await models.list(await requireOwnProject(settings, call)));
    const shown = [...catalogue.values()].map(({ model, label, provider, input, output }) => ({
      name: model,
      display: label,
      provider,
      inputCost: input,
      outputCost: output,
    }));
    return { status: 200, body: { models: shown } };
  };
}

/** `GET /agent-monitoring/models/catalog`: the models by id and label (completions 7.5). */
function readModelCatalogue({ settings, models }: ListModelsDependencies): Handler {
  return async (call) => {
    const catalogue = catalogueOf(await models.list(await requireOwnProject(settings, call)));
    const shown = [...catalogue.values()].map(({ model, label }) => ({
      id: model,
      label,
      source: isBuiltIn(model) ? "builtin" : "custom",
    }));
    return { status: 200, body: { models: shown, openrouterConfigured: false } };
  };
}

/** A model of the catalogue, with its key masked (completions 11.1). */
function showModel(model: BuiltInModel | ModelChange) {
  const { baseUrl = null, apiKey = null } = model as Partial<ModelChange>;
  return {
    id: model.model,
    provider: model.provider,
    label: model.label,
    pricePerMInputTokens: model.input,
    pricePerMOutputTokens: model.output,
    pricePerMCacheReadTokens: model.cacheRead,
    pricePerMCacheWriteTokens: model.cacheWrite,
    isDefault: model.model === defaultPricedModel,
    baseUrl,
    apiKeyMasked: apiKey === null ? null : maskSecret(apiKey),
  };
}

const isBuiltIn = (id: string): boolean => builtInModels.some(({ model }) => model === id);

/** In multi-tenant mode the built-in models are shared and cannot be changed (completions 11.1): 403. */
function refuseBuiltIn(id: string, multiTenant: boolean): void {
  if (multiTenant && isBuiltIn(id)) throw new AppError("forbidden", "Built-in models cannot be changed");
}
