import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import { getPrompt } from "../http/prompts/get-prompt.ts";
import { listPrompts } from "../http/prompts/list-prompts.ts";
import { publishPrompt } from "../http/prompts/publish-prompt.ts";
import type { PromptStore } from "./prompt-store.ts";

/** Prompts with versions, for the agents that fetch them. */
export function promptRoutes({ prompts, clock }: { prompts: PromptStore; clock: Clock }): ServedRoute[] {
  return [
    { route: routes.publishPrompt, handle: publishPrompt({ prompts, clock }) },
    { route: routes.listPrompts, handle: listPrompts({ prompts }) },
    { route: routes.getPrompt, handle: getPrompt({ prompts }) },
  ];
}
