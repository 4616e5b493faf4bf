import { readFile } from "node:fs/promises";
import { openApiFile } from "@touchstone/contracts";

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Parameter {
  name: string;
  in: "path" | "query";
  required?: boolean;
  schema: JsonSchema;
}

/** The possible answers of an operation with one status: media types with the schema of their bodies, if any. */
export type DocumentedAnswer = Readonly<Record<string, { schema?: JsonSchema }>>;

/** One operation of the committed OpenAPI document, with references to responses resolved. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: readonly Parameter[];
  body: { required: boolean; content: Readonly<Record<string, { schema?: JsonSchema }>> } | null;
  answers: Readonly<Record<string, DocumentedAnswer>>;
  needsKey: boolean;
  /** Methods that the path does not have. */
  otherMethods: readonly string[];
}

export interface OpenApi {
  operations: readonly Operation[];
  /** Named schemas; a reference is `#/components/schemas/<name>`. */
  schemas: Readonly<Record<string, JsonSchema>>;
}

interface Document {
  paths: Record<string, Record<string, RawOperation> | { $ref: string }>;
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, RawAnswer> };
}

interface RawOperation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema?: JsonSchema }> };
  responses: Record<string, RawAnswer | { $ref: string }>;
  security: Record<string, string[]>[];
}

interface RawAnswer {
  content?: DocumentedAnswer;
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Reads the committed document. This suite does not use the code that generates it. */
export async function readOpenApi(): Promise<OpenApi> {
  const document = JSON.parse(await readFile(openApiFile, "utf8")) as Document;
  const operations = Object.entries(document.paths).flatMap(([path, item]) => {
    if (typeof item.$ref === "string") return [];
    // A path without parameters is also a parameter value of its neighbours: DELETE /traces/stream deletes a trace.
    const present = Object.entries(document.paths)
      .filter(([other]) => takes(other, path))
      .flatMap(([, neighbour]) => Object.keys(neighbour).map((method) => method.toUpperCase()));
    return Object.entries(item as Record<string, RawOperation>).map(([method, operation]) =>
      readOperation(document, { path, method: method.toUpperCase(), present }, operation),
    );
  });
  return { operations, schemas: document.components.schemas };
}

function takes(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((part, at) => part === given[at] || part.startsWith("{"));
}

function readOperation(
  { components }: Document,
  { path, method, present }: { path: string; method: string; present: readonly string[] },
  raw: RawOperation,
): Operation {
  const answers = Object.entries(raw.responses).map(([status, answer]) => {
    const stated = "$ref" in answer ? components.responses[answer.$ref.split("/").at(-1) ?? ""] : answer;
    return [status, stated?.content ?? {}] as const;
  });
  return {
    id: raw.operationId,
    method,
    path,
    parameters: raw.parameters ?? [],
    body: raw.requestBody ?? null,
    answers: Object.fromEntries(answers),
    needsKey: raw.security.some((way) => "projectKey" in way),
    otherMethods: methods.filter((other) => !present.includes(other)),
  };
}
