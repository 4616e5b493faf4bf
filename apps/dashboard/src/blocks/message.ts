/**
 * The speaker of a message. Data that is not part of a conversation, such as the query of a search, is `input` and
 * `output`.
 */
export type Speaker = "system" | "user" | "assistant" | "tool" | "input" | "output";

/**
 * A part of a message. Images are shown only as data; for others `url` is null and `description` contains their
 * location.
 */
export type Part =
  | { kind: "text"; text: string }
  | { kind: "reasoning"; text: string }
  | { kind: "image"; url: string | null; description: string }
  | ToolCallPart
  | ToolResultPart
  | { kind: "documents"; documents: readonly FoundDocument[] }
  | { kind: "json"; value: unknown };

export interface ToolCallPart {
  kind: "call";
  id: string | null;
  name: string;
  input: unknown;
  /** The tool's answer, if known. */
  result?: ToolResultPart;
}

export interface ToolResultPart {
  kind: "result";
  /** The call it answers. */
  id: string | null;
  name: string | null;
  output: unknown;
  error: string | null;
  latencyMs: number | null;
}

export interface FoundDocument {
  id: string | null;
  score: number | null;
  content: unknown;
}

export interface ChatMessage {
  speaker: Speaker;
  parts: readonly Part[];
}

/** JSON text longer than this stays text. */
const parsedCharactersMost = 2_000_000;

/** The JSON value in a text; any other value, and text that is not an object or a list, is unchanged. */
export function parsedText(value: unknown): unknown {
  if (typeof value !== "string" || value.length > parsedCharactersMost || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
