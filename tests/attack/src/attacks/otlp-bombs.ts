import type { Attack } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";
import { listOtlpBombs } from "../payloads/otlp-bombs.ts";

const inflatedMb = 60;
/** The number of bombs in a run; the seed chooses them. */
const chosenMax = 10;

/** Exports of a few kilobytes that inflate to 60 MB of very small items, three concurrently. */
export const otlpBombs: Attack = {
  name: "otlp-bombs",
  does: "OTLP exports, JSON and protobuf, that inflate to 60 MB of empty, unique or deep attributes, events, links, spans, logs; three at once.",
  setting: "projects",
  async prepare({ random, scaled, openTenant, clientOf, over }) {
    const client = clientOf(await openTenant("OTLP bombs"));
    const makers = listOtlpBombs(scaled(inflatedMb * 1024 * 1024));
    const [first, ...others] = makers;
    const bombs = [first, ...Array.from({ length: chosenMax - 1 }, () => random.pick(others))].map((make) => make?.());
    return () =>
      untilOver({ atOnce: 3, over }, async (number) => {
        const bomb = bombs[number % bombs.length];
        if (bomb === undefined) return;
        const headers = { "content-type": bomb.contentType, "content-encoding": "gzip" };
        await client.post(bomb.route, bomb.build(), headers);
      });
  },
};
