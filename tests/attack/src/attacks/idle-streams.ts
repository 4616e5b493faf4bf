import type { Attack } from "../attack.ts";
import { forEachOf, untilOver } from "../attacker/at-once.ts";
import { addProject } from "../tenants.ts";

const streamsEach = 20;

/** One organization opens as many streams as its projects may have, and leaves them open. */
export const idleStreams: Attack = {
  name: "idle-streams",
  does: "52 projects of one organization with 20 idle streams each, while another organization opens a stream and an export.",
  setting: "organizations",
  async prepare({ url, scaled, openTenant, tally, over }) {
    const tenant = await openTenant("idle streams");
    const other = await openTenant("other");
    const keys = await forEachOf(scaled(52), 2, (number) => addProject(tenant, `project ${number}`));
    const held: Response[] = [];
    const open = (route: string, apiKey: string): Promise<Response> =>
      fetch(`${url}/api/v1${route}`, { headers: { "x-api-key": apiKey }, signal: over });

    /** The attacker's answers are counted separately from the other organization's, which must succeed. */
    async function demand(route: string): Promise<void> {
      const answer = await open(route, other.apiKey).catch(() => null);
      if (over.aborted) return;
      if (answer === null) tally.complain(`GET ${route} of another organization was not answered.`);
      else if (answer.status !== 200) {
        tally.complain(`GET ${route} of another organization was answered ${answer.status}: ${await answer.text()}`);
      }
      await answer?.body?.cancel().catch(() => undefined);
    }

    await forEachOf(keys.length * streamsEach, 16, async (number) => {
      const answer = await open("/ingest/traces/stream", keys[number % keys.length] as string);
      // Refused streams are expected; the others stay open until this process ends.
      if (answer.status === 200) held.push(answer);
      else await answer.body?.cancel();
    });
    return async () => {
      for (const { status } of held) tally.count(status);
      await untilOver({ atOnce: 1, pauseMs: 1_000, over }, async () => {
        await demand("/ingest/traces/stream");
        await demand("/export/traces");
      });
    };
  },
};
