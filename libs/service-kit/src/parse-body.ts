import { type JudgedBody, sentenceFor } from "@touchstone/contracts";
import type { z } from "zod";
import { AppError } from "./app-error.ts";
import { isJsonObject } from "./json.ts";

/** The members a client may have left out are missing, never `undefined`. */
export type Parsed<Value> = { [Member in keyof Value]: Exclude<Value[Member], undefined> };

/**
 * Reads a JSON body as the contract of its route says: `parseBody(await call.json(), routes.createAgent.body)`. Anything
 * but an object reads as `{}`. Members that the schema does not name are dropped, and those that are `undefined` left out.
 *
 * Throws `bad_request` for the first mistake, with the sentence of its member: a needed member that is missing, else the
 * first issue of the schema, which is the cause.
 */
export function parseBody<Schema extends z.ZodObject>(
  sent: unknown,
  { schema, sentences, needed }: Pick<JudgedBody<Schema>, "schema" | "sentences" | "needed">,
): Parsed<z.output<Schema>> {
  const members = isJsonObject(sent) ? sent : {};
  for (const member of needed) {
    const value = members[member];
    const isMissing = (value ?? "") === "" && !schema.shape[member].safeParse(value).success;
    if (isMissing) throw new AppError("bad_request", `${member} is required`);
  }
  const read = schema.safeParse(members);
  if (!read.success) throw new AppError("bad_request", describe(read.error, sentences), { cause: read.error });
  const given = Object.entries(read.data).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Parsed<z.output<Schema>>;
}

function describe({ issues: [issue] }: z.ZodError, sentences: JudgedBody["sentences"]): string {
  const member = issue?.path[0];
  if (issue === undefined || member === undefined) return "The body is not what this route takes.";
  return sentenceFor(issue, sentences[String(member)] ?? `${String(member)} is not what this route takes`);
}
