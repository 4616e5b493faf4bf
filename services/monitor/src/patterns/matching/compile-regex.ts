import { limits } from "@touchstone/contracts/limits";
import { RE2JS } from "re2js";
import { findNestedRepeat } from "./find-nested-repeat.ts";
import type { Place } from "./match-term.ts";

/** A regex whose time is bounded by its size and the length of its input. */
export interface SafeRegex {
  /** True if it matches anywhere in the first `limits.matchedTextMaxChars` characters. */
  test(text: string): boolean;
  /** The first match there; null = none. Takes ten times as long as `test`. */
  locate(text: string): Place | null;
}

/** The reason why a regex is refused, in words for its author. */
export class RegexRefusal extends Error {}

/** A regex as its condition contains it. */
export interface WrittenRegex {
  value: string;
  caseSensitive: boolean;
}

/**
 * Compiles for a linear-time engine, which has neither look-around nor back references. Throws {@link RegexRefusal} with the
 * compiler's message, and for a regex that is too long, too large or repeats a repeat without bound (completions 9.3). Both
 * this and the result may take seconds: run them in a thread.
 */
export function compileRegex({ value, caseSensitive }: WrittenRegex): SafeRegex {
  if (value.length > limits.regexMaxChars) {
    throw new RegexRefusal(`regex must have at most ${limits.regexMaxChars} characters`);
  }
  const compiled = compile(value, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  const nested = findNestedRepeat(value);
  if (nested !== null) {
    throw new RegexRefusal(`Invalid regex: an unbounded repeat of an unbounded repeat: \`${nested}\``);
  }
  if (compiled.programSize() > limits.regexInstructionsMax) {
    throw new RegexRefusal(
      `Invalid regex: it compiles to ${compiled.programSize()} instructions, at most ${limits.regexInstructionsMax} are taken; repeat less`,
    );
  }
  return {
    test: (text) => compiled.test(text.slice(0, limits.matchedTextMaxChars)),
    locate(text) {
      const matcher = compiled.matcher(text.slice(0, limits.matchedTextMaxChars));
      return matcher.find() ? { start: matcher.start(), end: matcher.end() } : null;
    },
  };
}

/** The reason why the first unusable regex is refused; null = all are usable. */
export function findRefusal(regexes: readonly WrittenRegex[]): string | null {
  for (const regex of regexes) {
    try {
      compileRegex(regex);
    } catch (thrown) {
      if (thrown instanceof RegexRefusal) return thrown.message;
      throw thrown;
    }
  }
  return null;
}

function compile(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags);
  } catch {
    // Flags become part of the text that the compiler quotes.
    return compilePlain(source, flags);
  }
}

function compilePlain(source: string, flags: number): RE2JS {
  try {
    RE2JS.compile(source);
    return RE2JS.compile(source, flags);
  } catch (cause) {
    throw new RegexRefusal(`Invalid regex: ${cause instanceof Error ? cause.message : "it cannot be compiled"}`, {
      cause,
    });
  }
}
