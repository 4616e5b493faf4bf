import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import { builtinPatterns } from "../../patterns/builtin/builtins.ts";
import type { PatternStore } from "../../patterns/pattern-store.ts";
import { renderBuiltin, renderPattern } from "../../patterns/render-pattern.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";

/** GET /monitor/patterns (completions 9.3): the built-in ones, then the project's own by age. */
export function listPatterns(stores: { patterns: PatternStore; profiles: ProfileStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { enabledBuiltinPatterns: enabled } = await stores.profiles.readDefaults(projectId);
    const own = await stores.patterns.list(projectId);
    const builtin = builtinPatterns.map((each) => renderBuiltin(each, enabled.includes(each.key)));
    return { status: 200, body: { patterns: [...builtin, ...own.map(renderPattern)] } };
  };
}
