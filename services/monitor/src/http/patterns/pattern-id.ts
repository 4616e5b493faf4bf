import { AppError, type Call, isUuid } from "@touchstone/service-kit";
import type { BuiltinPattern } from "../../patterns/builtin/builtin.ts";
import { builtinPatterns } from "../../patterns/builtin/builtins.ts";

/** The pattern a path names: one of the project's own by its id, or a built-in one by its key. Throws 404 for neither. */
export function patternNamed(call: Call): { id: string } | { builtin: BuiltinPattern } {
  const named = call.params.patternId ?? "";
  const builtin = builtinPatterns.find(({ key }) => key === named);
  if (builtin !== undefined) return { builtin };
  return isUuid(named) ? { id: named } : patternNotFound();
}

/** The id of a pattern that is to be changed: built-in ones are the same for everybody. */
export function ownPatternId(call: Call): string {
  const named = patternNamed(call);
  if ("builtin" in named) throw new AppError("forbidden", "Built-in patterns are read-only");
  return named.id;
}

export function patternNotFound(): never {
  throw new AppError("not_found", "Pattern not found");
}
