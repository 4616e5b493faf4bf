import { createHash } from "node:crypto";
/** What both sides hold of one row, as far as it is compared. */
export interface Held {
  kind: Kind;
  /** As Langfuse spells it. */
  id: string;
  /** Rows are counted by it: the day of an observation, the name of a score, dataset, prompt or run. */
  group: string;
  /** One for each column of the kind; null is not stated. */
  numbers: readonly (number | null)[];
}

export type Kind = keyof typeof kinds;

interface Column {
  name: string;
  /** Whether its sum says something. */
  isSummed: boolean;
}

const summed = (name: string): Column => ({ name, isSummed: true });
const compared = (name: string): Column => ({ name, isSummed: false });

/** The kinds of rows in the order of the report. */
export const kinds = {
  trace: { plural: "traces", groupName: null, columns: [] },
  observation: {
    plural: "observations",
    groupName: "day",
    columns: [
      ...[compared("start"), compared("end")],
      ...[summed("input tokens"), summed("output tokens"), summed("cached tokens"), summed("cost in USD")],
    ],
  },
  score: { plural: "scores", groupName: "name", columns: [summed("value")] },
  item: { plural: "dataset items", groupName: "dataset", columns: [compared("content")] },
  "run item": { plural: "run items", groupName: "run", columns: [] },
  prompt: { plural: "prompt versions", groupName: "prompt", columns: [compared("content")] },
  "prompt label": { plural: "prompt labels and tags", groupName: "prompt", columns: [compared("version")] },
  media: { plural: "media", groupName: null, columns: [] },
} as const satisfies Record<string, { plural: string; groupName: string | null; columns: readonly Column[] }>;

export const columnsOf = (kind: Kind): readonly Column[] => kinds[kind].columns;

export const observation = (
  id: string,
  {
    startMs,
    endMs,
    ...tokens
  }: {
    startMs: number | null;
    endMs: number | null;
    input: number | null;
    output: number | null;
    cached: number | null;
    cost: number | null;
  },
): Held => ({
  kind: "observation",
  id,
  group: startMs === null ? "without a time" : new Date(startMs).toISOString().slice(0, 10),
  numbers: [startMs, endMs, tokens.input || 0, tokens.output || 0, tokens.cached || 0, tokens.cost || 0],
});

/** A boolean counts as 1 or 0, a text as nothing. */
export const score = (id: string, name: string, value: unknown): Held => ({
  kind: "score",
  id,
  group: name,
  numbers: [typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : null],
});

/** The form of a trace id in which all its spellings are equal: of a UUID the 32 digits, else as it is. */
export function canonicalTraceId(id: string): string {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) ? id.replaceAll("-", "").toLowerCase() : id;
}

/** A number that is equal for equal texts. */
export function fingerprint(text: string): number {
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}
