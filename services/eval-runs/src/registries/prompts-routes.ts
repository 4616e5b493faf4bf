import { isStorable, isUuid, type prompt, routes } from "@touchstone/contracts";
import {
  AppError,
  type Clock,
  endOfList,
  type Handler,
  readJsonObject,
  requireProject,
  requireWorkspace,
  type ServedRoute,
  uuidv7,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { readNameListQuery } from "../queries/list-query.ts";
import type { PromptStore, StoredPrompt } from "./prompt-store.ts";
import { readOptionalText, readRegisteredName } from "./registered-name.ts";

/** Versioned prompts, for agents that fetch them. */
export function promptRoutes({ prompts, clock }: { prompts: PromptStore; clock: Clock }): ServedRoute[] {
  return [
    { route: routes.publishPrompt, handle: publishPrompt({ prompts, clock }) },
    { route: routes.listPrompts, handle: listPrompts({ prompts }) },
    { route: routes.getPrompt, handle: getPrompt({ prompts }) },
  ];
}

/** POST /custom-agent-evaluations/prompts (completions 14): an existing name gets a new version. */
function publishPrompt({ prompts, clock }: { prompts: PromptStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { value } = await readJsonObject(call);
    const name = readRegisteredName(value.name);
    const { text } = value;
    if (typeof text !== "string" || text.trim() === "") throw new AppError("bad_request", "text is required");
    const description = readOptionalText(value.description, "description");
    requireWorkspace(call, value.workspaceId);
    const now = clock.now();
    const published = await prompts.publish(projectId, { id: uuidv7(now), name, description, text, at: new Date(now) });
    return { status: 201, body: showPrompt(published) };
  };
}

/** GET /custom-agent-evaluations/prompts (completions 14): the newest versions, by name. */
function listPrompts({ prompts }: { prompts: PromptStore }): Handler {
  return async (call) => {
    const page = await prompts.list(requireProject(call), readNameListQuery(call));
    return { status: 200, body: { prompts: page.rows.map(showPrompt), ...endOfList(page, ({ name }) => name) } };
  };
}

/** The largest version number. */
const versionMax = 2 ** 31 - 1;

/** GET /custom-agent-evaluations/prompts/{promptId} (completions 14): by id or name, at a version or the newest. */
function getPrompt({ prompts }: { prompts: PromptStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { promptId = "" } = call.params;
    const version = readVersion([call.query.version].flat()[0]);
    const key = { id: isUuid(promptId) ? promptId : null, name: promptId };
    const found = isStorable(promptId) ? await prompts.find(projectId, key, version) : null;
    if (found === null) throw new AppError("not_found", "Prompt not found");
    return { status: 200, body: showPrompt(found) };
  };
}

function readVersion(text: string | undefined): number | null {
  if (text === undefined || text === "") return null;
  const version = Number(text);
  if (!/^-?\d+$/.test(text)) throw new AppError("bad_request", "version must be an integer");
  return Math.min(versionMax, Math.max(0, version));
}

/** A prompt as clients read it (completions 14). */
function showPrompt(stored: StoredPrompt): z.input<typeof prompt> {
  return {
    _id: stored.id,
    name: stored.name,
    ...(stored.description !== null && { description: stored.description }),
    version: stored.version,
    text: stored.text,
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
}
