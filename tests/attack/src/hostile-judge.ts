import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit/scripted-llm";
import { createRandom } from "../../chaos/src/random.ts";
import { characterClasses, fill } from "./payloads/characters.ts";

/** A provider whose answers are as long and as hard to parse as a model's can be. */
export interface HostileJudge {
  baseUrl: string;
  /** Discards recorded questions, which would keep every prompt. */
  forget(): void;
  stop(): Promise<void>;
}

const answerChars = 64 * 1024;

export async function startHostileJudge(seed: number): Promise<HostileJudge> {
  const llm: ScriptedLlm = await startScriptedLlm();
  const random = createRandom(seed).fork("judge");
  const shapes: ((text: string) => string)[] = [
    (text) => JSON.stringify({ intent: text, sentiment: "neutral", issueType: "none" }),
    (text) => JSON.stringify({ justification: text, rating: 3, matched: true, reason: text }),
    (text) => text,
    (text) => `{"intent":"${text.replaceAll(/["\\\n]/g, " ")}`,
    () => "{".repeat(answerChars),
    () => '{"a":'.repeat(answerChars / 5),
    () => "[".repeat(answerChars),
    () => `{"rating":${"9".repeat(answerChars)}}`,
    () => "```json\n".repeat(answerChars / 8),
  ];
  const script = () =>
    ({ kind: "text", text: random.pick(shapes)(fill(random.pick(characterClasses), answerChars)) }) as const;
  llm.answerWith(script);
  return {
    baseUrl: llm.baseUrl,
    forget() {
      llm.reset();
      llm.answerWith(script);
    },
    stop: () => llm.stop(),
  };
}
