import {
  AppError,
  type Clock,
  type Handler,
  readJsonObject,
  requireProject,
  requireWorkspace,
  uuidv7,
} from "@touchstone/service-kit";
import type { PromptStore } from "../../registries/prompt-store.ts";
import { readOptionalText, readRegisteredName } from "../../registries/registered-name.ts";
import { showPrompt } from "../../registries/show-prompt.ts";

/** POST /custom-agent-evaluations/prompts (completions 14): a name that is known gets a new version. */
export function publishPrompt({ prompts, clock }: { prompts: PromptStore; clock: Clock }): Handler {
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
