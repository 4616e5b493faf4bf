import { limits, type RecordedToolCall, type Trajectory } from "@touchstone/contracts";
import { cutText } from "../model/recorded-text.ts";
import { type JsonSlice, scanElements, scanMembers } from "../model/scan-members.ts";
import type { JsonText } from "../model/span.ts";
import { truncationMarker } from "../model/span-body.ts";

/** Text of all calls of one trace: what does not fit loses its values, never its name. */
const callsCharsMax = 1024 * 1024;
const definitionMaxChars = 4_000;

/** They are never too long. */
const scalars: ReadonlySet<string> = new Set(["boolean", "number", "null"]);

/** What rows hold was read as JSON when it came. */
const stored = { isStored: true };

/** The calls as their trace shows them, a value that does not fit replaced by the marker of what was cut. */
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

/** REST takes calls as they come; what judges rely on has the type it should have, or is left out. */
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

/** The tools that a span's metadata says were offered to its model; a long definition is cut. */
export function readToldDefinitions(metadata: JsonText | null): Trajectory["toolDefinitions"] {
  // Looking for the name first is far cheaper than reading what may be a long text.
  if (metadata === null || !metadata.includes('"toolDefinitions"')) return [];
  const told = scanMembers(metadata, stored).members?.get("toolDefinitions");
  return (
    (told === undefined ? null : scanElements(told.text, stored))?.flatMap(({ text }) => {
      const name = readName(scanMembers(text, stored).members?.get("name"));
      return name === "" ? [] : [{ name, definition: cutText(text, definitionMaxChars) }];
    }) ?? []
  );
}
