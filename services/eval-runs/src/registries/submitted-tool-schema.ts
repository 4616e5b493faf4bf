import { AppError } from "@touchstone/service-kit";
import { readOptionalText, readRegisteredName } from "./registered-name.ts";
import type { StoredToolSchema, ToolSchemaDocument } from "./tool-schema-store.ts";

type Body = Readonly<Record<string, unknown>>;

/** Reads the body of a new tool schema (completions 14). Throws `bad_request` for the first rule that is broken. */
export function readSubmittedToolSchema(body: Body): { name: string; document: ToolSchemaDocument } {
  return {
    name: readRegisteredName(body.name),
    document: {
      definition: readDefinition(body.definition),
      description: readOptionalText(body.description, "description"),
      testEndpointUrl: readUrl(body.testEndpointUrl),
    },
  };
}

/** Applies a patch to the current tool schema; null removes an optional text. */
export function patchToolSchema(
  current: StoredToolSchema,
  patch: Body,
): { name: string; document: ToolSchemaDocument } {
  const isSent = (name: string): boolean => patch[name] !== undefined;
  return {
    name: isSent("name") ? readRegisteredName(patch.name) : current.name,
    document: {
      definition: isSent("definition") ? readDefinition(patch.definition) : current.definition,
      description: isSent("description") ? readOptionalText(patch.description, "description") : current.description,
      testEndpointUrl: isSent("testEndpointUrl") ? readUrl(patch.testEndpointUrl) : current.testEndpointUrl,
    },
  };
}

/** Applies a new version to the current tool schema. The definition is required: versions are versions of it. */
export function publishToolSchema(current: StoredToolSchema, published: Body) {
  readDefinition(published.definition);
  return patchToolSchema(current, published);
}

function readDefinition(definition: unknown): string {
  if (typeof definition !== "string" || definition.trim() === "") {
    throw new AppError("bad_request", "definition is required");
  }
  return definition;
}

function readUrl(value: unknown): string | null {
  const url = readOptionalText(value, "testEndpointUrl");
  if (url === null || url === "") return null;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new AppError("bad_request", "A valid http:// or https:// testEndpointUrl is required");
  }
  return url;
}
