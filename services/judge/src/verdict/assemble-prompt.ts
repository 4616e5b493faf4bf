import type { JudgedCase, JudgeRubric } from "@touchstone/contracts";
import { createFence } from "./fence.ts";
import { blockLabels, closing, instructions, noContext, withoutReference, withReference } from "./templates.ts";

export interface AssembledPrompt {
  instructions: string;
  prompt: string;
}

/**
 * The judge's prompt for one case under one rubric (completions 7.2): template, then the blocks that exist in their
 * fixed order, then the form of the reply. Blank texts count as absent. The same case and rubric give the same prompt
 * on every replica of an installation.
 */
export function assemblePrompt(judged: JudgedCase, rubric: JudgeRubric, fenceSecret: Buffer): AssembledPrompt {
  const texts = new Map<string, string>();
  const take = (label: string, text: string | null): void => {
    if (text !== null && text.trim() !== "") texts.set(label, text.toWellFormed());
  };
  // An answer may be empty, and then the judge is to see that it is.
  texts.set("input", judged.input.toWellFormed());
  texts.set("output", judged.output.toWellFormed());
  take("expected", judged.expected);
  take("context", judged.context);
  take("guideline", judged.guideline);
  take("acceptance criteria", rubric.acceptanceCriteria);
  take("rejection criteria", rubric.rejectionCriteria);
  take("evaluation criteria", rubric.evaluationCriteria);

  const fence = createFence(fenceSecret, texts);
  const enclosed = (label: string): string => fence.enclose(label);
  const template = texts.has("expected") ? withReference : withoutReference;
  const task = fillTemplate(template, {
    input: enclosed("input"),
    output: enclosed("output"),
    ...(texts.has("expected") ? { expected: enclosed("expected") } : {}),
    context: texts.has("context") ? enclosed("context") : noContext,
  });
  const blocks = Object.entries(blockLabels)
    .filter(([label]) => texts.has(label))
    .map(([label, introduction]) => `${introduction}\n${enclosed(label)}`);
  return {
    instructions: fillTemplate(instructions, { token: fence.token }),
    prompt: [task, ...blocks, closing].join("\n\n"),
  };
}

/**
 * Replaces each `{name}` that has a value, in a single pass: a value that itself holds `{input}` is not expanded
 * again, and an unknown `{name}` stays as it is written.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{([a-z]+)\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? (values[name] as string) : written,
  );
}
