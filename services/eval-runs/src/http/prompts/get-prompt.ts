import { AppError, type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { PromptStore } from "../../registries/prompt-store.ts";
import { isPlain } from "../../registries/registered-name.ts";
import { showPrompt } from "../../registries/show-prompt.ts";

/** The largest number a version can have. */
const versionMax = 2 ** 31 - 1;

/** GET /custom-agent-evaluations/prompts/{promptId} (completions 14): by id or name, at a version or the newest. */
export function getPrompt({ prompts }: { prompts: PromptStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { promptId = "" } = call.params;
    const version = readVersion([call.query.version].flat()[0]);
    const key = { id: isUuid(promptId) ? promptId : null, name: promptId };
    const found = isPlain(promptId) ? await prompts.find(projectId, key, version) : null;
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
