import { limits, type RecordedToolCall, type Trajectory } from "@touchstone/contracts";
import type { Sliced } from "@touchstone/service-kit";
import { type JsonSlice, scanElements, scanMembers, scanMembersInSlices, walkElements } from "@touchstone/service-kit";
import { copyText, cutText } from "../model/recorded-text.ts";
import type { JsonText } from "../model/span.ts";
import { truncationMarker } from "../model/span-body.ts";

/** Text of all calls of one trace: values that do not fit are dropped, names never. */
const callsCharsMax = 1024 * 1024;
const definitionMaxChars = 4_000;
/** For one trace. */
const definitionsMax = 200;

type ToolDefinition = Trajectory["toolDefinitions"][number];

/** Types that are never too long. */
const scalars: ReadonlySet<string> = new Set(["boolean", "number", "null"]);

/** Stored rows were validated as JSON on arrival. */
const stored = { isStored: true };

/** The calls as their trace shows them; a value that does not fit is replaced by the truncation marker. */
export function readRecordedCalls(toolCalls: JsonText | null): RecordedToolCall[] {
  let left = callsCharsMax;
  const elements = toolCalls === null ? [] : (scanElements(toolCalls, stored) ?? []);
  return elements.slice(0, limits.toolCallsMax).map((element) => {
    const { name, ...members } = Object.fromEntries(scanMembers(element.text, stored).members ?? []);
    const call: Record<string, unknown> = {};
    for (const [member, slice] of Object.entries(members)) {
      const fits = slice.text.length <= left || scalars.has(slice.type);
      if (fits) left -= slice.text.length;
      const value = fits ? (JSON.parse(slice.text) as unknown) : truncationMarker;
      const kept = keepTyped(member, value, slice);
      if (kept !== undefined) call[member] = kept;
    }
    return { name: readName(name), ...call };
  });
}

/** REST accepts calls unchecked; members that judges rely on are left out if their type is wrong. */
function keepTyped(member: string, value: unknown, { type }: JsonSlice): unknown {
  switch (member) {
    case "__proto__":
      return undefined;
    case "success":
      return type === "boolean" ? value : undefined;
    case "latency_ms":
      return type === "number" ? value : undefined;
    case "error":
      if (type === "null") return undefined;
      return typeof value === "string" ? value : JSON.stringify(value);
    default:
      return value;
  }
}

function readName(name: JsonSlice | undefined): string {
  return name?.type === "string" ? cutText(JSON.parse(name.text) as string, limits.traceNameMaxChars) : "";
}

/**
 * Adds the tools offered to a span's model, from its metadata, to those of its trace: the first of each name, and not
 * more than a judge gets. A long definition is cut.
 */
export function* readToolDefinitions(metadata: JsonText | null, known: Map<string, ToolDefinition>): Sliced<void> {
  // A substring search is far cheaper than parsing a long text.
  if (metadata === null || !metadata.includes('"toolDefinitions"')) return;
  const { members } = yield* scanMembersInSlices(metadata, { ...stored, only: ["toolDefinitions"] });
  for (const element of walkElements(members?.get("toolDefinitions")?.text ?? "[]", stored)) {
    if (known.size >= definitionsMax) return;
    if (element === undefined) {
      yield;
      continue;
    }
    const { members: own } = yield* scanMembersInSlices(element.text, { ...stored, only: ["name"] });
    const name = readName(own?.get("name"));
    if (name === "" || known.has(name)) continue;
    known.set(name, { name, definition: copyText(cutText(element.text, definitionMaxChars)) });
  }
}
