import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { HttpRequest } from "./http-request.ts";
import type { JsonSchema, OpenApi, Operation } from "./open-api.ts";

/** A received answer. */
export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

/** Describes what is wrong with an answer, one sentence each; empty when it is as documented. */
export type AnswerCheck = (operation: Operation, request: HttpRequest, answer: HttpAnswer) => string[];

/**
 * Checks answers against the document: the status, the content type and the body. A body may not have undocumented
 * members: clients tolerate new ones, but here it means that the contract was forgotten.
 */
export function createAnswerCheck({ schemas }: OpenApi): AnswerCheck {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  for (const [name, schema] of Object.entries(schemas)) {
    ajv.addSchema(closeObjects(schema) as JsonSchema, `#/components/schemas/${name}`);
  }
  const compiled = new Map<JsonSchema, ValidateFunction>();
  const validatorOf = (schema: JsonSchema): ValidateFunction => {
    const known = compiled.get(schema);
    if (known) return known;
    const made = ajv.compile(closeObjects(schema) as JsonSchema);
    compiled.set(schema, made);
    return made;
  };

  return (operation, request, answer) => {
    const problems: string[] = [];
    const { status } = answer;
    if (status >= 500) problems.push(`It answered ${status}.`);
    if (request.expected !== null && !request.expected.includes(status)) {
      problems.push(`It answered ${status} instead of ${request.expected.join(" or ")}.`);
    }
    if (typeof answer.headers["x-request-id"] !== "string") problems.push("It has no x-request-id.");
    const documented = operation.answers[String(status)];
    if (documented === undefined) return [...problems, `Status ${status} is not documented for ${operation.id}.`];
    // They have no body, and the document cannot say so.
    if ((status === 202 || status === 204) && answer.body.length === 0) return problems;
    const contentType = String(answer.headers["content-type"] ?? "").split(";")[0] ?? "";
    const content = documented[contentType];
    if (content === undefined) {
      return [...problems, `Content type "${contentType}" is not documented for ${operation.id} ${status}.`];
    }
    if (contentType !== "application/json" || content.schema === undefined) return problems;
    const body = parseOrNull(answer.body);
    if (body === null) return [...problems, "Its body is not JSON."];
    const validate = validatorOf(content.schema);
    if (!validate(body.value)) problems.push(`Its body is not as documented: ${ajv.errorsText(validate.errors)}.`);
    return problems;
  };
}

/** Objects with declared members have no others, unless the schema allows them. */
function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== "object" || schema === null) return schema;
  const closed = Object.fromEntries(
    Object.entries(schema).map(([keyword, content]) => [
      keyword,
      keyword === "properties" ? mapValues(content as Record<string, unknown>, closeObjects) : closeObjects(content),
    ]),
  );
  return "properties" in closed && !("additionalProperties" in closed)
    ? { ...closed, additionalProperties: false }
    : closed;
}

function mapValues(object: Record<string, unknown>, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function parseOrNull(body: Buffer): { value: unknown } | null {
  try {
    return { value: JSON.parse(body.toString("utf8")) };
  } catch {
    return null;
  }
}
