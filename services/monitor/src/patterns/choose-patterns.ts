import type { MonitoringDefaults, StoredTrace } from "@touchstone/contracts";
import { isSampled } from "../model/sampling.ts";
import { type ProfileDocument, profileInForce } from "../profiles/profile.ts";
import type { PatternChoice } from "./matching/pattern.ts";

/** The patterns to check in one trace. */
export interface ChosenPatterns {
  /** Ids of the project's own patterns. */
  patternIds: readonly string[];
  /** Keys of built-in patterns. */
  builtinKeys: readonly string[];
}

/**
 * The patterns that a trace is due (completions 9.3). `monitor:true` with `pattern_ids` = exactly those, by id or key,
 * regardless of sample and scope; else the enabled ones whose scope and sample include the trace. A disabled profile excludes
 * all; its polarity switches exclude those with that polarity.
 */
export function choosePatterns(
  trace: Pick<StoredTrace, "traceId" | "agentId" | "monitor" | "patternIds">,
  watch: { defaults: MonitoringDefaults; profile: ProfileDocument; patterns: readonly PatternChoice[] },
): ChosenPatterns {
  const profile = profileInForce(watch.profile, watch.defaults);
  if (!profile.enabled) return { patternIds: [], builtinKeys: [] };
  const isOn = { failure: profile.failureDetectionEnabled, proper: profile.infoDetectionEnabled };
  const live = watch.patterns.filter(({ document }) => document.enabled && isOn[document.polarity]);
  if (trace.monitor === true && trace.patternIds !== null) {
    const named = new Set(trace.patternIds);
    const chosen = live.filter(({ id, key }) => named.has(id) || named.has(key));
    const builtinKeys = watch.defaults.enabledBuiltinPatterns.filter((key) => isOn.failure && named.has(key));
    return { patternIds: chosen.map(({ id }) => id), builtinKeys };
  }
  const isCovered = profile.coverageMode === "all" || isSampled(profile.sampleRate, "coverage", trace.traceId);
  if (!isCovered) return { patternIds: [], builtinKeys: [] };
  const isInScope = ({ scopeMode, agentIds }: PatternChoice["document"]): boolean =>
    scopeMode === "all" || (trace.agentId !== null && agentIds.includes(trace.agentId));
  const chosen = live.filter(
    ({ id, document }) => isInScope(document) && isSampled(document.sampleRate, id, trace.traceId),
  );
  return {
    patternIds: chosen.map(({ id }) => id),
    builtinKeys: isOn.failure ? watch.defaults.enabledBuiltinPatterns : [],
  };
}
