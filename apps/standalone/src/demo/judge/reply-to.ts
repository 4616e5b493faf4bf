import { readFences } from "./fences.ts";
import type { Knowledge } from "./knowledge.ts";
import { verdictOn } from "./verdict-on.ts";
import { writeAnalysis } from "./write-analysis.ts";

/** The reply to a request of the judge service, by the name of its schema; null if the script has no reply. */
export function replyTo(schema: string | undefined, prompt: string, knowledge: Knowledge): object | null {
  switch (schema) {
    case "verdict":
      return verdictOn(prompt, knowledge);
    case "analysis":
      return writeAnalysis(prompt);
    case "paraphrases":
      return { variants: paraphrase(readFences(prompt).get("question") ?? "") };
    case "expected_result":
      return suggestExpected(prompt, knowledge);
    default:
      return null;
  }
}

/** Other openings of the same question; the judge service uses as many as it needs. */
function paraphrase(question: string): string[] {
  const rest = question.charAt(0).toLowerCase() + question.slice(1);
  return [
    `Hello, a short question: ${rest}`,
    `${question} Thank you in advance!`,
    `Could you help me with this? ${question}`,
  ];
}

function suggestExpected(prompt: string, knowledge: Knowledge): object | null {
  const expected = knowledge.expected.get(readFences(prompt).get("question") ?? "");
  return expected === undefined
    ? null
    : { expected, rationale: "This is what the owners of the sample project expect." };
}
