import { isJsonObject } from "@touchstone/service-kit/thread";

/** The rule for a member of an object, with its error message: `<member> must be <words>`. */
export interface MemberRule {
  holds(value: unknown): boolean;
  words: string;
}

export const text: MemberRule = { holds: (value) => typeof value === "string", words: "a string" };
export const flag: MemberRule = { holds: (value) => typeof value === "boolean", words: "a boolean" };
export const texts: MemberRule = {
  holds: (value) => Array.isArray(value) && value.every(text.holds),
  words: "an array of strings",
};
export const textOrTexts: MemberRule = {
  holds: (value) => text.holds(value) || texts.holds(value),
  words: "a string or an array of strings",
};

export const numberWithin = (min: number, max: number): MemberRule => ({
  holds: (value) => typeof value === "number" && value >= min && value <= max,
  words: `a number between ${min} and ${max}`,
});

export const integerWithin = (min: number, max: number): MemberRule => ({
  holds: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
  words: `an integer between ${min} and ${max}`,
});

/**
 * The first error in an optional object's members, as a sentence that begins with `path`; null when there is none. Members
 * without a rule may have any value; null counts as absent.
 */
export function findMistake(path: string, value: unknown, rules: Readonly<Record<string, MemberRule>>): string | null {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) return `${path} must be an object`;
  for (const [name, rule] of Object.entries(rules)) {
    const member = value[name];
    if (member === undefined || member === null || rule.holds(member)) continue;
    return `${path}.${name} must be ${rule.words}`;
  }
  return null;
}
