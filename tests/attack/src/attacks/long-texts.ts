import type { Attack } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";
import { characterClasses, fill } from "../payloads/characters.ts";
import { watchEverything } from "./hostile-settings.ts";

/** The text fields of a trace, each as a function that builds a body with a text in that field. */
const fields: readonly ((text: string) => object)[] = [
  (text) => ({ output: text }),
  (text) => ({ input: text }),
  (text) => ({ input: text, output: text }),
  (text) => ({ error: text }),
  (text) => ({ name: text.slice(0, 2_000), session_id: text.slice(0, 512), model: text.slice(0, 512) }),
  (text) => ({ output: [{ role: "assistant", content: text }] }),
  (text) => ({ tool_calls: [{ name: "tool", input: { q: text }, output: text, error: text }] }),
  (text) => ({ metadata: { [text.slice(0, 1_000)]: text } }),
  (text) => ({ output: `{"a": "${text}` }),
];

/** Traces of one repeated character, with all processing of live traces enabled. */
export const longTexts: Attack = {
  name: "long-texts",
  does: "Traces of 64 to 128 KB of one repeated character in each text field, with all built-in checks, judges, patterns and slow regexes on.",
  setting: "projects",
  // Hundreds of accepted traces wait for checks in threads.
  settleSecondsMin: 150,
  async prepare(scene) {
    const { random, openTenant, clientOf, over } = scene;
    const client = clientOf(await openTenant("long texts"));
    await watchEverything(scene, client);
    return () =>
      untilOver({ atOnce: 2, pauseMs: 50, over }, async () => {
        const text = fill(random.pick(characterClasses), random.integer(64, 128) * 1024);
        await client.post("/ingest/traces", { name: "long text", output: "fine", ...random.pick(fields)(text) });
      });
  },
};
