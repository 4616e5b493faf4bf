import { limits } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import { RE2JS } from "re2js";
import { findNestedRepeat } from "./find-nested-repeat.ts";
import type { Place } from "./match-term.ts";

/** A regex whose time is bounded by the length of what it reads. */
export interface SafeRegex {
  /** Whether it matches anywhere in the first `limits.matchedTextMaxChars` characters. */
  test(text: string): boolean;
  /** Where it matches first there; null = nowhere. */
  locate(text: string): Place | null;
}

/**
 * Compiles for a linear-time engine, which knows neither look-around nor back references. Throws `bad_request` with the
 * compiler's words, and for what is too long, too large or repeats a repeat without bound (completions 9.3).
 */
export function compileSafeRegex(source: string, { caseSensitive }: { caseSensitive: boolean }): SafeRegex {
  if (source.length > limits.regexMaxChars) {
    throw new AppError("bad_request", `regex must have at most ${limits.regexMaxChars} characters`);
  }
  const compiled = compile(source, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  const nested = findNestedRepeat(source);
  if (nested !== null) {
    throw new AppError("bad_request", `Invalid regex: an unbounded repeat of an unbounded repeat: \`${nested}\``);
  }
  if (compiled.programSize() > limits.regexInstructionsMax) {
    throw new AppError(
      "bad_request",
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

function compile(source: string, flags: number): RE2JS {
  try {
    // Flags become part of the text that the compiler quotes.
    const plain = RE2JS.compile(source);
    return flags === 0 ? plain : RE2JS.compile(source, flags);
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : "it cannot be compiled";
    throw new AppError("bad_request", `Invalid regex: ${words}`, { cause });
  }
}
