/** The process of the hostile judge. A provider runs on other machines, so it has a lower priority than the installation. */
import os from "node:os";
import { startScriptedLlm } from "@touchstone/testkit/scripted-llm";
import { createRandom } from "../../../chaos/src/random.ts";
import { characterClasses, fill } from "../payloads/characters.ts";

const niceness = 10;
const answerChars = 64 * 1024;

os.setPriority(niceness);
process.once("disconnect", () => process.exit());
const random = createRandom(Number(process.argv[2])).fork("judge");
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

const llm = await startScriptedLlm();
llm.answerWith(script);
// The only message: to forget.
process.on("message", () => {
  llm.reset();
  llm.answerWith(script);
});
process.send?.(llm.baseUrl);
