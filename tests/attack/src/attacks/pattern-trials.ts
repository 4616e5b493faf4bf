import type { Attack } from "../attack.ts";
import { forEachOf, untilOver } from "../attacker/at-once.ts";
import { idIn } from "../attacker/client.ts";
import { characterClasses, fill } from "../payloads/characters.ts";
import { pack } from "../payloads/gzip-pieces.ts";
import { slowRegexes } from "./hostile-settings.ts";

const textMb = 2;
/** Placed at the end of each text, so that the whole text is searched for an excerpt. */
const lastWord = "zebra crossing";

/** Patterns that are tried on long texts, as the dashboard does before it saves one. */
export const patternTrials: Attack = {
  name: "pattern-trials",
  does: "Dry runs of phrases, terms and slow regexes on traces of 2 MB, with matches whose excerpt is at their end.",
  setting: "projects",
  async prepare({ random, scaled, openTenant, clientOf, over }) {
    const client = clientOf(await openTenant("pattern trials"));
    const traceIds = await forEachOf(scaled(12), 2, async () => {
      const output = `${fill(random.pick(characterClasses), textMb * 1024 * 1024)} ${lastWord}`;
      const { zipped } = pack(JSON.stringify({ name: "long", output }));
      return idIn(await client.post("/ingest/traces", zipped, { "content-encoding": "gzip" }));
    });
    const values = [
      () => ({ detector: "phrase", value: lastWord }),
      () => ({ detector: "contains", value: lastWord }),
      () => ({ detector: "phrase", value: `${fill(random.pick(characterClasses), random.integer(2, 3_900))}!` }),
      () => ({ detector: "contains", value: `${fill(random.pick(characterClasses), random.integer(2, 3_900))}!` }),
      () => ({ detector: "regex", value: random.pick(slowRegexes) }),
    ];
    return () =>
      untilOver({ atOnce: 3, over }, async () => {
        const condition = {
          ...random.pick(values)(),
          sources: ["response", "trace"],
          caseSensitive: random.chance(0.5),
        };
        await client.post("/agent-monitoring/patterns/dry-run", { conditions: [condition], traceIds });
        await client.get(
          `/ingest/traces?limit=5&search=${encodeURIComponent(fill(random.pick(characterClasses), 200))}`,
        );
        await client.get(`/monitor/signals?search=${encodeURIComponent(fill(random.pick(characterClasses), 500))}`);
      });
  },
};
