import { z } from "zod";
import type { RecordedAnswer } from "./answer.ts";

/** Sends a request to the public API as the caller and returns the JSON of the answer. Throws what the API refuses. */
export type Ask = (
  method: "GET" | "POST",
  path: string,
  query?: Readonly<Record<string, string>>,
  body?: unknown,
) => Promise<unknown>;

/** One tool of the MCP server. */
export interface Tool {
  name: string;
  description: string;
  input: z.ZodObject;
  writes: boolean;
  /** `input` is what the schema made of the arguments. */
  run(input: never, ask: Ask): Promise<RecordedAnswer>;
}

/** A tool whose handler knows the type of its arguments. */
export function defineTool<Input extends z.ZodObject>(
  tool: Omit<Tool, "input" | "run" | "writes"> & {
    input: Input;
    writes?: boolean;
    run(input: z.output<Input>, ask: Ask): Promise<RecordedAnswer>;
  },
): Tool {
  return { writes: false, ...tool };
}

/** The query of a request: what is not given is left out. */
export function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>) {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

export const id = z.string().min(1).max(200);
export const cursor = z.string().max(1_000).optional().describe("`next` of the answer before");
export const offset = z.int().min(0).max(10_000_000).default(0).describe("`next` of the answer before");

export const api = "/api/v1";
export const evaluations = `${api}/custom-agent-evaluations`;
export const runOf = (runId: string): string => `${evaluations}/runs/${encodeURIComponent(runId)}`;
