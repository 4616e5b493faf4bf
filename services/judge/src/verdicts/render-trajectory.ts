import type { RecordedToolCall, Trajectory } from "@touchstone/contracts";
import { onOneLine } from "../prompting/storable-text.ts";

/** completions 7.3. */
const stepsMax = 40;
const textMaxChars = 300;
const nameMaxChars = 200;
/** Deeper steps are indented no further, so that a chain of agents does not become mostly blanks. */
const indentMax = 20;

type Step = Trajectory["steps"][number];

/**
 * The actions of an agent, for a judge (completions 7.3): the steps of the trace's subtree, or without any the recorded tool
 * calls. Each stays on its own lines, so that no recorded text can imitate a step. Null when nothing was recorded.
 */
export function renderTrajectory({ steps, omittedSteps, toolCalls }: Trajectory): string | null {
  if (steps.length > 0) return renderNumbered(steps, omittedSteps, "step", renderStep);
  return toolCalls.length > 0 ? renderNumbered(toolCalls, 0, "tool call", renderToolCall) : null;
}

function renderNumbered<Item>(
  items: readonly Item[],
  omitted: number,
  noun: string,
  render: (item: Item, number: string) => string,
): string {
  const shown = items.slice(0, stepsMax).map((item, index) => render(item, `${index + 1}.`));
  const left = omitted + items.length - shown.length;
  if (left > 0) shown.push(`(${left} more ${noun}${left === 1 ? "" : "s"} omitted)`);
  return shown.join("\n");
}

function renderStep(step: Step, number: string): string {
  const indent = "  ".repeat(Math.min(step.depth, indentMax));
  const head = [
    number,
    onOneLine(step.name, nameMaxChars),
    ...(step.model === null ? [] : [`[${onOneLine(step.model, nameMaxChars)}]`]),
    ...(step.latencyMs === null ? [] : [`(${Math.round(step.latencyMs)} ms)`]),
  ].join(" ");
  const details = [
    ...(isBlank(step.input) ? [] : [`input: ${onOneLine(step.input, textMaxChars)}`]),
    ...(isBlank(step.output) ? [] : [`output: ${onOneLine(step.output, textMaxChars)}`]),
    ...(step.error === null ? [] : [`FAILED: ${onOneLine(step.error, textMaxChars)}`]),
  ];
  return [head, ...details.map((detail) => `   ${detail}`)].map((line) => `${indent}${line}`).join("\n");
}

function renderToolCall(call: RecordedToolCall, number: string): string {
  const output = renderValue(call.output);
  const error = call.error ?? "";
  const hasFailed = call.success === false || error !== "";
  const outcome = [
    ...(output === "" ? [] : [output]),
    ...(hasFailed ? [error === "" ? "FAILED" : `FAILED: ${onOneLine(error, textMaxChars)}`] : []),
  ].join(" ");
  return `${number} ${onOneLine(call.name, nameMaxChars)}(${renderValue(call.input)}) -> ${outcome || "(nothing)"}`;
}

function renderValue(value: RecordedToolCall["input"]): string {
  if (value === undefined || value === null) return "";
  return onOneLine(typeof value === "string" ? value : JSON.stringify(value), textMaxChars);
}

function isBlank(text: string | null): text is null {
  return text === null || text.trim() === "";
}
