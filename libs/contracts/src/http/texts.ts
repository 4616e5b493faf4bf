import { z } from "zod";

/** Whether PostgreSQL stores a text unchanged: NUL and lone surrogates are not stored. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in the canonical lower-case form, as all our ids are. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** Text that PostgreSQL stores unchanged; another is a `custom` issue. */
export const storable = z.refine<string>(isStorable);

/** Text with more than blanks in it; another is `too_small`, as empty text is. */
export const filledText = z
  .string()
  .min(1)
  .check(({ value, issues }) => {
    if (value === "" || value.trim() !== "") return;
    issues.push({ code: "too_small", origin: "string", minimum: 1, inclusive: true, input: value });
  });

/** What projects, organizations and accounts are called; stored without blanks around it. */
export const givenName = filledText.max(200).check(storable).trim();
export const givenNameSentences = {
  name: {
    too_big: "name must not be longer than 200 characters",
    custom: "name must not contain NUL or half of a surrogate pair",
    otherwise: "name is required",
  },
} as const;

type Rules<Schema extends z.ZodObject> = {
  [Member in keyof z.output<Schema>]?: (value: NonNullable<z.output<Schema>[Member]>) => boolean;
};

/** Adds rules that are read once all members have their types and bounds. The first that does not hold is a `custom` issue. */
export function withRules<Schema extends z.ZodObject>(schema: Schema, rules: Rules<Schema>): Schema {
  return schema.check(({ value, issues }) => {
    const sent: Readonly<Record<string, unknown>> = value;
    const wrong = Object.entries(rules as Record<string, (value: unknown) => boolean>).find(
      ([member, holds]) => sent[member] !== undefined && sent[member] !== null && !holds(sent[member]),
    );
    if (wrong !== undefined) issues.push({ code: "custom", path: [wrong[0]], input: sent[wrong[0]] });
  });
}
