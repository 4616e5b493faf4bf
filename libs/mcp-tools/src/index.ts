import { renderAnswer } from "./answer.ts";
import { evaluationTools } from "./evaluation-tools.ts";
import { runTools } from "./run-tools.ts";
import type { Ask, Tool } from "./tool.ts";
import { traceTools } from "./trace-tools.ts";
import { writingTools } from "./writing-tools.ts";

export { answerMaxChars } from "./answer.ts";
export type { Ask, Tool } from "./tool.ts";

/** The tools of the MCP server. Those that write are there only with write access; none of them deletes. */
export function listTools({ write }: { write: boolean }): readonly Tool[] {
  return [...traceTools, ...evaluationTools, ...(write ? [...writingTools, ...runTools] : [])];
}

/**
 * The content of a tool's answer: its facts, then what was recorded. `input` was checked by the schema of the tool. Throws what
 * `ask` throws.
 */
export async function callTool(tool: Tool, input: object, ask: Ask) {
  const texts = renderAnswer(await tool.run(input as never, ask));
  return { content: texts.map((text) => ({ type: "text" as const, text })) };
}
