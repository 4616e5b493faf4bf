import type { Scene } from "../attack.ts";
import type { Client } from "../attacker/client.ts";
import { characterClasses, fill } from "../payloads/characters.ts";

/** Regexes that are slow in one engine or another. Those that are refused are never stored. */
export const slowRegexes: readonly string[] = [
  "(a+)+$",
  "(a|a)*b",
  "(?:a?){60}a{60}",
  "(x|xx|xxx)*y",
  ".*.*.*.*=.*",
  "(.|\\n)*?-{80}",
  "(\\w+\\s?)*!",
  "[\\p{L}\\p{N}]{1,300}!",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(\\s*-\\s*)*\\d",
  "\\s+$",
];

/** Scripts of code scorers that misbehave. */
export const hostileScripts: readonly string[] = [
  "function handler() { for (;;); }",
  "function handler() { return handler(); }",
  "function handler() { const kept = []; for (;;) kept.push('x'.repeat(1e6)); }",
  "function handler() { return { score: /^(a+)+$/.test('a'.repeat(40) + '!') ? 1 : 0 }; }",
  "function handler({ output }) { return { score: output.split('').sort().join('').length % 2 }; }",
  "function handler() { return { score: 1, reason: 'x'.repeat(5e8) }; }",
  "async function handler() { await new Promise(() => {}); }",
  "function handler() { throw new Error('x'.repeat(1e7)); }",
];

/** Enables all processing of live traces, and adds slow settings to it. */
export async function watchEverything({ random }: Pick<Scene, "random">, client: Client): Promise<void> {
  const list = await client.get("/monitor/patterns");
  const builtinKeys = [...(list?.text.matchAll(/"key":"([^"]+)"/g) ?? [])].map(([, key]) => key);
  await client.send({
    method: "PUT",
    route: "/agent-monitoring/settings/monitoring-defaults",
    body: {
      enabledBuiltinPatterns: builtinKeys,
      coverageMode: "all",
      sampleRate: 1,
      topicsEnabled: true,
      topicsSampleRate: 1,
      coherenceSweepEnabled: true,
    },
  });
  const sources = ["response", "userMessage", "trace"];
  const pattern = (name: string, detector: string, value: string) =>
    client.post("/monitor/patterns", { name, sampleRate: 1, conditions: [{ detector, value, sources }] });
  for (const [at, regex] of slowRegexes.entries()) await pattern(`regex ${at}`, "regex", regex);
  for (let at = 0; at < 10; at += 1) {
    const unit = random.pick(characterClasses);
    await pattern(`phrase ${at}`, "phrase", `${fill(unit, 3_900)}!`);
    await pattern(`term ${at}`, "contains", `${fill(unit, 3_900)}!`);
  }
  await pattern("semantic", "semantic", "Does the text repeat itself?");
  await client.post("/agent-monitoring/judge-scorers", {
    name: "judge",
    judge: { evaluationCriteria: "Is the answer good?" },
    online: { sampleRate: 1, alertThreshold: 10 },
  });
}
