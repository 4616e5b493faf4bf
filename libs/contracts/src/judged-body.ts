import type { z } from "zod";
import type { BodyContract } from "./route.ts";

/**
 * What a client reads about a member that is wrong: one sentence, or one for each code of zod's issues that has its own.
 * `otherwise` also covers what is wrong inside the member, unless it is a list whose mistakes are named by their `places`.
 */
export type Sentence =
  | string
  | ({ otherwise: string; places?: true } & { [Code in z.core.$ZodIssue["code"]]?: string });

/** A JSON body whose schema decides alone whether it has the right shape. */
export interface JudgedBody<Schema extends z.ZodObject = z.ZodObject> extends BodyContract<Schema> {
  sentences: Readonly<Record<string, Sentence>>;
  /** Members that are missed before anything else is read, in this order. Null and empty text the schema refuses count as missing. */
  needed: readonly string[];
}

/** Makes the body of a route one that its schema judges. */
export function judged<Schema extends z.ZodObject>(
  body: BodyContract<Schema>,
  sentences: Readonly<Record<keyof Schema["shape"] & string, Sentence>>,
  needed: readonly (keyof Schema["shape"] & string)[] = [],
): JudgedBody<Schema> {
  return { ...body, sentences, needed };
}

/** What a client reads about the first mistake in a member. */
export function sentenceFor({ code, path, message }: z.core.$ZodIssue, sentence: Sentence): string {
  if (typeof sentence === "string") return sentence;
  if (path.length === 1) return sentence[code] ?? sentence.otherwise;
  return sentence.places === true ? `${placeOf(path)}: ${message}` : sentence.otherwise;
}

/** `updates[3].traceId`. */
function placeOf(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
  return steps.join("").slice(1);
}
