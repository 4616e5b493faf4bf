import { isUuid, routes } from "@touchstone/contracts";
import {
  AppError,
  actOf,
  type Call,
  encodeList,
  endText,
  type Handler,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import { readListQuery, readVersionListQuery, warnOfCut } from "../queries/list-query.ts";
import type { ConfigBook } from "./config-book.ts";
import { readSettingsChange } from "./config-change.ts";
import type { ConfigStore, StoredConfig } from "./config-store.ts";
import { readVersionId, renderConfigVersion, renderSettings } from "./render-config.ts";

/** Grading configs as evaluation settings, flat (completions 4.1). */
export function evaluationSettingsRoutes(dependencies: { book: ConfigBook; configs: ConfigStore }): ServedRoute[] {
  return [
    { route: routes.createEvaluationSettings, handle: createEvaluationSettings(dependencies) },
    { route: routes.listEvaluationSettings, handle: listEvaluationSettings(dependencies) },
    { route: routes.getEvaluationSettings, handle: getEvaluationSettings(dependencies) },
    { route: routes.updateEvaluationSettings, handle: updateEvaluationSettings(dependencies) },
    { route: routes.deleteEvaluationSettings, handle: deleteEvaluationSettings(dependencies) },
    { route: routes.listSettingsVersions, handle: listSettingsVersions(dependencies) },
    { route: routes.deleteSettingsVersion, handle: deleteSettingsVersion(dependencies) },
  ];
}

/** POST /custom-agent-evaluations/evaluation-settings (completions 4.1): 201 with the config itself. */
function createEvaluationSettings({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const change = readSettingsChange(await readJsonObject(call));
    const config = await book.create(requireProject(call), change, actOf(call.identity));
    return { status: 201, body: await encodeList("", [renderSettings(config)], "") };
  };
}

/** GET /custom-agent-evaluations/evaluation-settings (completions 4.1), newest first. */
function listEvaluationSettings({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const page = await configs.list(requireProject(call), readListQuery(call, "the id of evaluation settings"));
    const tail = `]${endText(page, ({ id }) => id)}`;
    return { status: 200, body: await encodeList('{"evaluationSettings":[', page.rows.map(renderSettings), tail) };
  };
}

/** GET /custom-agent-evaluations/evaluation-settings/{evaluationSettingsId} (completions 4.1). */
function getEvaluationSettings({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => ({
    status: 200,
    body: await encodeList("", [renderSettings(await findSettings(configs, call))], ""),
  });
}

/**
 * PUT /custom-agent-evaluations/evaluation-settings/{evaluationSettingsId} (completions 4.1): changes only the members that
 * were sent.
 */
function updateEvaluationSettings({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const change = readSettingsChange(await readJsonObject(call));
    const id = settingsId(call);
    const config = id === null ? null : await book.update(requireProject(call), id, change, actOf(call.identity));
    return { status: 200, body: await encodeList("", [renderSettings(config ?? settingsNotFound())], "") };
  };
}

/** DELETE /custom-agent-evaluations/evaluation-settings/{evaluationSettingsId} (completions 4.1). */
function deleteEvaluationSettings({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const id = settingsId(call);
    const isGone =
      id !== null && (await book.delete(requireProject(call), id, { withProfile: false, act: actOf(call.identity) }));
    return isGone ? { status: 200, body: { deleted: true } } : settingsNotFound();
  };
}

/** GET /evaluate/evaluationSettings/{evaluationSettingsId}/versions (completions 3.3, 4.1), newest first. */
function listSettingsVersions({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const { id } = await findSettings(configs, call);
    const page = await configs.listVersions(requireProject(call), id, readVersionListQuery(call));
    warnOfCut(call, page);
    const texts = page.rows.map((version) => renderConfigVersion(id, version));
    return { status: 200, body: await encodeList("[", texts, "]") };
  };
}

/**
 * DELETE /evaluate/evaluationSettings/{evaluationSettingsId}/versions/{versionId} (completions 3.3, 4.1). The current version
 * cannot be deleted.
 */
function deleteSettingsVersion({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const { id } = await findSettings(configs, call);
    const version = readVersionId(id, call.params.versionId ?? "");
    const deleted =
      version !== null && (await configs.deleteVersion(requireProject(call), id, version, actOf(call.identity)));
    return { status: 200, body: { deleted } };
  };
}

/** The config in the path. Throws `not_found` when the project has none with that id. */
async function findSettings(configs: ConfigStore, call: Call): Promise<StoredConfig> {
  const id = settingsId(call);
  const config = id === null ? null : await configs.find(requireProject(call), id);
  return config ?? settingsNotFound();
}

/** The id in the path, or null when it is malformed. */
function settingsId(call: Call): string | null {
  const { evaluationSettingsId = "" } = call.params;
  return isUuid(evaluationSettingsId) ? evaluationSettingsId : null;
}

function settingsNotFound(): never {
  throw new AppError("not_found", "Evaluation settings not found");
}
