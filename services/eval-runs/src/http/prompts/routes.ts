import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import type { PromptStore } from "../../registries/prompt-store.ts";
import { getPrompt } from "./get-prompt.ts";
import { listPrompts } from "./list-prompts.ts";
import { publishPrompt } from "./publish-prompt.ts";

/** Prompts with versions, for the agents that fetch them. */
export function promptRoutes({ prompts, clock }: { prompts: PromptStore; clock: Clock }): ServedRoute[] {
  return [
    { route: routes.publishPrompt, handle: publishPrompt({ prompts, clock }) },
    { route: routes.listPrompts, handle: listPrompts({ prompts }) },
    { route: routes.getPrompt, handle: getPrompt({ prompts }) },
  ];
}
