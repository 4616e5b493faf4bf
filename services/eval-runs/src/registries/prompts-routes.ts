import { internalRoutes, isStorable, isUuid, type prompt, routes } from "@touchstone/contracts";
import {
  AppError,
  type Call,
  type Clock,
  encodeList,
  endText,
  type Handler,
  objectText,
  parseBody,
  readJsonObject,
  readParameter,
  requireProject,
  requireWorkspace,
  type ServedRoute,
  uuidv7,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { readNameListQuery } from "../queries/list-query.ts";
import { newestLabel } from "./prompt-search-reader.ts";
import type { PromptKey, PromptStore } from "./prompt-store.ts";
import type { StoredPrompt } from "./prompt-version-reader.ts";
import { movable, readSubmittedPrompt } from "./submitted-prompt.ts";

/** Versioned prompts, for agents that fetch them. */
export function promptRoutes({ prompts, clock }: { prompts: PromptStore; clock: Clock }): ServedRoute[] {
  return [
    { route: routes.publishPrompt, handle: publishPrompt({ prompts, clock }) },
    { route: routes.listPrompts, handle: listPrompts({ prompts }) },
    { route: routes.getPrompt, handle: getPrompt({ prompts }) },
    { route: routes.labelPrompt, handle: labelPrompt({ prompts }) },
    { route: internalRoutes.searchPrompts, handle: searchPrompts({ prompts }) },
  ];
}

/** POST /custom-agent-evaluations/prompts (completions 14): an existing name gets a new version. */
function publishPrompt({ prompts, clock }: { prompts: PromptStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const body = await readJsonObject(call);
    const submitted = readSubmittedPrompt(body);
    requireWorkspace(call, body.value.workspaceId);
    const now = clock.now();
    const published = await prompts.publish(projectId, { ...submitted, id: uuidv7(now), at: new Date(now) });
    return { status: 201, body: showPrompt(published) };
  };
}

/** GET /custom-agent-evaluations/prompts (completions 14): the newest versions, by name. */
function listPrompts({ prompts }: { prompts: PromptStore }): Handler {
  return async (call) => {
    const page = await prompts.list(requireProject(call), readNameListQuery(call));
    const tail = `]${endText(page, ({ name }) => name)}`;
    return { status: 200, body: await encodeList('{"prompts":[', page.rows.map(showPrompt), tail) };
  };
}

/** The largest version number. */
const versionMax = 2 ** 31 - 1;

/** GET /custom-agent-evaluations/prompts/{promptId} (completions 14): by id or name, at a version, a label or the newest. */
function getPrompt({ prompts }: { prompts: PromptStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const version = readVersion(readParameter(call.query, "version"));
    const label = readParameter(call.query, "label");
    if (version !== null && label !== null) throw new AppError("bad_request", "Send version or label, not both");
    if (label !== null && !isStorable(label)) promptNotFound();
    const wanted = { version, label: label === newestLabel ? null : label };
    const found = await prompts.find(projectId, requireKey(call), wanted);
    return { status: 200, body: showPrompt(found ?? promptNotFound()) };
  };
}

/** PATCH /custom-agent-evaluations/prompts/{promptId}/versions/{version} (completions 14): moves labels to a version. */
function labelPrompt({ prompts }: { prompts: PromptStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { labels } = parseBody(await call.json(), routes.labelPrompt.body);
    const { version = "" } = call.params;
    if (!/^\d{1,9}$/.test(version)) promptNotFound();
    const labeled = await prompts.moveLabels(projectId, requireKey(call), {
      version: Number(version),
      labels: movable(labels),
    });
    return { status: 200, body: showPrompt(labeled ?? promptNotFound()) };
  };
}

/** Answers dropin: prompts by name, label and tag. What no prompt can have matches none. */
function searchPrompts({ prompts }: { prompts: PromptStore }): Handler {
  return async (call) => {
    const query = internalRoutes.searchPrompts.body.parse(await call.json());
    const { name, label, tag } = query;
    const isPossible = [name, label, tag].every((text) => text === null || isStorable(text));
    const found = isPossible ? await prompts.search(requireProject(call), query) : { prompts: [], totalCount: 0 };
    return { status: 200, body: found };
  };
}

/** The id or name in the path; what no prompt can be called is answered like an unknown name. */
function requireKey({ params }: Call): PromptKey {
  const { promptId = "" } = params;
  if (!isStorable(promptId)) promptNotFound();
  return { id: isUuid(promptId) ? promptId : null, name: promptId };
}

function promptNotFound(): never {
  throw new AppError("not_found", "Prompt not found");
}

function readVersion(text: string | null): number | null {
  if (text === null) return null;
  const version = Number(text);
  if (!/^-?\d+$/.test(text)) throw new AppError("bad_request", "version must be an integer");
  return Math.min(versionMax, Math.max(0, version));
}

/** A prompt as clients read it (completions 14), with messages and config as they were sent. */
function showPrompt(stored: StoredPrompt): string {
  const shown: Omit<z.input<typeof prompt>, "messages" | "config"> = {
    _id: stored.id,
    name: stored.name,
    ...(stored.description !== null && { description: stored.description }),
    version: stored.version,
    type: stored.messages === null ? "text" : "chat",
    text: stored.text,
    labels: [...stored.labels, ...(stored.isNewest ? [newestLabel] : [])],
    tags: [...stored.tags],
    ...(stored.commitMessage !== null && { commitMessage: stored.commitMessage }),
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
  return objectText([
    ...Object.entries(shown).map(([name, value]) => ({ name, valueText: JSON.stringify(value) })),
    ...(stored.messages === null ? [] : [{ name: "messages", valueText: stored.messages }]),
    { name: "config", valueText: stored.config },
  ]);
}
