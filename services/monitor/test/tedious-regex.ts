import type { PatternCondition } from "@touchstone/contracts";

/** Letters a and b without any order. */
export const tedious = Array.from({ length: 64 * 1024 }, (_, at) => "ab"[(Math.imul(at, 0x9e3779b1) >>> 15) & 1]).join(
  "",
);

/**
 * Conditions within all limits that are not done with {@link tedious} in two seconds, on any machine: the automaton of each has
 * a state for every place in it.
 */
export const endless: readonly PatternCondition[] = Array.from({ length: 20 }, (_, at) => ({
  connector: "or",
  negate: false,
  sources: ["response"],
  detector: "regex",
  value: `a[ab]{${900 - at}}c`,
  caseSensitive: false,
}));
