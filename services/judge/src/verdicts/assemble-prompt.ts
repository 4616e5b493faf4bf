import type { KeyObject } from "node:crypto";
import type { JudgedCase, JudgeRubric } from "@touchstone/contracts";
import { createFence, fillTemplate } from "../prompting/fence.ts";
import { onOneLine } from "../prompting/storable-text.ts";
import {
  blockIntroductions,
  closing,
  instructions,
  noContext,
  noExpected,
  withoutReference,
  withReference,
} from "../prompting/templates.ts";
import { renderTools } from "./render-tools.ts";
import { renderTrajectory } from "./render-trajectory.ts";

export interface AssembledPrompt {
  instructions: string;
  prompt: string;
}

/**
 * The judge's prompt for one case under one rubric (completions 7.2): the default template or the rubric's own, then the
 * available blocks in their fixed order, then the form of the reply. Blank texts count as absent. The same case and rubric give
 * the same prompt on every replica of an installation.
 */
export function assemblePrompt(judged: JudgedCase, rubric: JudgeRubric, fenceSecret: KeyObject): AssembledPrompt {
  const texts = collectTexts(judged, rubric);
  const fence = createFence(fenceSecret, texts);
  const enclose = (label: string, otherwise: string): string => (texts.has(label) ? fence.enclose(label) : otherwise);

  // A template is written by the project's owner, like the criteria, and is trusted; the inserted values are not.
  const own = isBlank(rubric.judgePrompt) ? null : rubric.judgePrompt.toWellFormed();
  const task = fillTemplate(own ?? (texts.has("expected") ? withReference : withoutReference), {
    input: fence.enclose("input"),
    output: fence.enclose("output"),
    expected: enclose("expected", noExpected),
    context: enclose("context", noContext),
  });
  const blocks = Object.entries(blockIntroductions)
    .filter(([label]) => texts.has(label))
    .map(([label, introduction]) => `${introduction}\n${fence.enclose(label)}`);
  return {
    instructions: fillTemplate(instructions, { token: fence.token }),
    prompt: [task, ...blocks, closing].join("\n\n"),
  };
}

/** Every untrusted text, by the label of its fence. */
function collectTexts(judged: JudgedCase, rubric: JudgeRubric): Map<string, string> {
  const { toolContext } = rubric;
  const trajectory = toolContext === "none" ? null : judged.trajectory;
  const texts = new Map<string, string>();
  const take = (label: string, text: string | null): void => {
    if (!isBlank(text)) texts.set(label, text.toWellFormed());
  };
  // An answer may be empty, which the judge must see.
  texts.set("input", judged.input.toWellFormed());
  texts.set("output", judged.output.toWellFormed());
  take("expected", judged.expected);
  take("context", judged.context);
  if (trajectory !== null) {
    take("trajectory", renderTrajectory(trajectory));
    if (toolContext === "detailed") take("tool definitions", renderTools(trajectory));
  }
  take("expected capabilities", renderList(judged.expectedCapabilities));
  take("expected knowledge", renderList(judged.expectedKnowledgeBase));
  take("expected delegations", renderList(judged.expectedDelegations));
  take("guideline", judged.guideline);
  take("acceptance criteria", rubric.acceptanceCriteria);
  take("rejection criteria", rubric.rejectionCriteria);
  take("evaluation criteria", rubric.evaluationCriteria);
  return texts;
}

const listItemMaxChars = 2_000;

function renderList(items: readonly string[]): string {
  return items
    .map((item) => onOneLine(item, listItemMaxChars))
    .filter((item) => item !== "")
    .map((item) => `- ${item}`)
    .join("\n");
}

function isBlank(text: string | null): text is null {
  return text === null || text.trim() === "";
}
