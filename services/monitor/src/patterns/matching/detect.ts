import { getHeapStatistics } from "node:v8";
import type { PatternCondition } from "@touchstone/contracts";
import { compileRegex, type SafeRegex } from "./compile-regex.ts";
import { findPhrase, findTerm, type Place } from "./match-term.ts";

/** Compiled regexes of this thread, evicted by number and size: the automaton of each may take megabytes. */
const compiled = new Map<string, SafeRegex>();
const compiledMax = 256;

function isFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return compiled.size >= compiledMax || used > limit / 2;
}

/** True if a condition that needs no judge matches a text. */
export function detects(condition: PatternCondition, text: string): boolean {
  return condition.detector === "regex" ? regexOf(condition).test(text) : locate(condition, text) !== null;
}

/** The first match; null = none, or only a judge can decide. */
export function locate(condition: PatternCondition, text: string): Place | null {
  switch (condition.detector) {
    case "semantic":
      return null;
    case "regex":
      return regexOf(condition).locate(text);
    case "phrase":
      return findPhrase(text, condition.value, condition);
    default:
      return findTerm(text, condition.value, condition);
  }
}

function regexOf(condition: PatternCondition): SafeRegex {
  const key = `${condition.caseSensitive} ${condition.value}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  if (isFull()) compiled.clear();
  const regex = compileRegex(condition);
  compiled.set(key, regex);
  return regex;
}
