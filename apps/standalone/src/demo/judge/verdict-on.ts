import { readFences } from "./fences.ts";
import type { Knowledge } from "./knowledge.ts";
import { type Aspect, type Opinion, opinionOf, opinionOfUnknown } from "./opinion.ts";

/** The verdict for a prompt. */
export function verdictOn(prompt: string, knowledge: Knowledge): Opinion {
  const texts = readFences(prompt);
  const output = texts.get("output") ?? "";
  const aspect = aspectOf(texts.get("evaluation criteria") ?? "");
  const known = knowledge.answers.get(output);
  if (known !== undefined) return opinionOf(known, aspect);
  return output.startsWith("[turn 1] User:") ? ofConversation(output, knowledge, aspect) : opinionOfUnknown(output);
}

function aspectOf(criteria: string): Aspect {
  if (/policy/i.test(criteria)) return "policy";
  if (/retrieved/i.test(criteria)) return "grounded";
  if (/tone/i.test(criteria)) return "tone";
  return /help/i.test(criteria) ? "helpful" : "correct";
}

/** A conversation is limited by its weakest turn. */
function ofConversation(transcript: string, knowledge: Knowledge, aspect: Aspect): Opinion {
  const answers = [...transcript.matchAll(/\[turn (\d+)\] Agent: ([\s\S]*?)(?=\n\n\[turn |$)/g)];
  const turns = answers.map(([, turn, text = ""]) => {
    const known = knowledge.answers.get(text);
    return { turn, ...(known === undefined ? opinionOfUnknown(text) : opinionOf(known, aspect)) };
  });
  const worst = turns.reduce(
    (low, each) => (each.rating < low.rating ? each : low),
    turns[0] ?? { turn: "1", rating: 5, justification: "" },
  );
  const mean = turns.reduce((sum, { rating }) => sum + rating, 0) / Math.max(1, turns.length);
  return {
    rating: Math.round((mean + worst.rating) * 5) / 10,
    justification:
      worst.rating < 5
        ? `The conversation is held back by turn ${worst.turn}: ${worst.justification}`
        : `All ${turns.length} turns get somewhere. The weakest is turn ${worst.turn}: ${worst.justification}`,
  };
}
