import { scanElements, scanMembers } from "@touchstone/service-kit";
import type { Derivation } from "../model/derivation.ts";
import type { FragmentBody } from "../model/fragment-body.ts";
import type { JsonText } from "../model/span.ts";
import type { MergedBody } from "./merge-fragments.ts";

/** Stored rows were validated as JSON on arrival. */
const stored = { isStored: true };

/** Facts about a span from its trace. */
export interface MetadataAdditions {
  fragments: readonly FragmentBody[];
  derived: Derivation;
  messages: MergedBody["messages"];
  /** The rows whose input and output are shown; null = its own. */
  ioFrom: unknown;
}

/**
 * Adds the entries of the trace and of log records to the metadata of a span. The span's own text is never changed;
 * only `evaluations` grows (otlp 5.5, 6, 7).
 */
export function addMetadata(
  metadata: JsonText | null,
  { fragments, derived, messages, ioFrom }: MetadataAdditions,
): JsonText | null {
  const members = membersOf(metadata);
  for (const fragment of fragments) addAbsent(members, fragment.metadata);
  const costUSD = fragments.reduce((sum, fragment) => sum + (fragment.costUSD ?? 0), 0);
  addAbsent(members, {
    userId: derived.userId,
    environment: derived.environment,
    tags: derived.tags,
    models: derived.models,
    reportedCostUSD: costUSD > 0 ? costUSD : undefined,
  });
  addEvaluations(members, fragments);
  const otel = addOtel(members.get("otel") ?? null, { fragments, derived, messages, ioFrom });
  // `otel` comes last, as in the original.
  members.delete("otel");
  if (otel !== null) members.set("otel", otel);
  return members.size === 0 ? null : writeObject(members);
}

function addOtel(otel: JsonText | null, { fragments, derived, messages, ioFrom }: MetadataAdditions): JsonText | null {
  const members = membersOf(otel);
  const attributes = membersOf(members.get("attributes") ?? null);
  for (const fragment of fragments) addAbsent(attributes, fragment.attributes);
  if (attributes.size > 0) members.set("attributes", writeObject(attributes));
  const exception = fragments.find((fragment) => fragment.exception !== undefined)?.exception;
  addAbsent(members, { messages: messages ?? undefined, exception });
  if (ioFrom !== null) members.set("ioFrom", JSON.stringify(ioFrom));
  if (derived.childErrors !== undefined) members.set("childErrors", String(derived.childErrors));
  return members.size === 0 ? null : writeObject(members);
}

function addEvaluations(members: Map<string, JsonText>, fragments: readonly FragmentBody[]): void {
  const given = fragments.flatMap(({ evaluation }) => (evaluation === undefined ? [] : [JSON.stringify(evaluation)]));
  if (given.length === 0) return;
  const own = members.get("evaluations");
  const listed = own === undefined ? [] : (scanElements(own, stored)?.map(({ text }) => text) ?? [own]);
  members.set("evaluations", `[${[...listed, ...given].join(",")}]`);
}

function membersOf(object: JsonText | null): Map<string, JsonText> {
  const members = object === null ? null : scanMembers(object, stored).members;
  return new Map([...(members ?? [])].map(([name, { text }]) => [name, text]));
}

function addAbsent(members: Map<string, JsonText>, additions: Record<string, unknown> = {}): void {
  for (const [name, value] of Object.entries(additions)) {
    if (value !== undefined && value !== null && !members.has(name)) members.set(name, JSON.stringify(value));
  }
}

function writeObject(members: ReadonlyMap<string, JsonText>): JsonText {
  return `{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}
