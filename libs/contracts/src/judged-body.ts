import type { z } from "zod";
import type { BodyContract } from "./route.ts";

/**
 * What a client reads about a member that is wrong: one sentence, or one for each code of zod's issues that has its own.
 * `otherwise` also covers what is wrong inside the member.
 */
export type Sentence = string | ({ otherwise: string } & { [Code in z.core.$ZodIssue["code"]]?: string });

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
