import { endOfList, type Handler, requireProject } from "@touchstone/service-kit";
import { readNameListQuery } from "../../queries/list-query.ts";
import type { PromptStore } from "../../registries/prompt-store.ts";
import { showPrompt } from "../../registries/show-prompt.ts";

/** GET /custom-agent-evaluations/prompts (completions 14): the newest versions, by name. */
export function listPrompts({ prompts }: { prompts: PromptStore }): Handler {
  return async (call) => {
    const page = await prompts.list(requireProject(call), readNameListQuery(call));
    return { status: 200, body: { prompts: page.rows.map(showPrompt), ...endOfList(page, ({ name }) => name) } };
  };
}
