import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { PatternStore } from "../../patterns/pattern-store.ts";
import { renderBuiltin, renderPattern } from "../../patterns/render-pattern.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";
import { patternNamed, patternNotFound } from "./pattern-id.ts";

/** GET /monitor/patterns/{patternId} (completions 9.3). */
export function getPattern(stores: { patterns: PatternStore; profiles: ProfileStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const named = patternNamed(call);
    if ("builtin" in named) {
      const { enabledBuiltinPatterns: enabled } = await stores.profiles.readDefaults(projectId);
      return { status: 200, body: { pattern: renderBuiltin(named.builtin, enabled.includes(named.builtin.key)) } };
    }
    const pattern = await stores.patterns.find(projectId, named.id);
    return { status: 200, body: { pattern: renderPattern(pattern ?? patternNotFound()) } };
  };
}
