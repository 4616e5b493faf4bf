import type { Handler } from "@touchstone/service-kit";
import type { PromptStore } from "../../registries/prompt-store.ts";
import { showPrompt } from "../../registries/show-prompt.ts";
import { requireProject } from "../require-project.ts";

/** GET /custom-agent-evaluations/prompts (completions 14): the newest versions, by name. */
export function listPrompts({ prompts }: { prompts: PromptStore }): Handler {
  return async (call) => {
    const found = await prompts.list(requireProject(call));
    return { status: 200, body: { prompts: found.map(showPrompt) } };
  };
}
