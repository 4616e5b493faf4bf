/**
 * The process that runs one attack. It uses no memory or processor time of the probe, and has a lower priority than
 * everything else on the machine.
 */
import os from "node:os";
import { createRandom } from "../../../chaos/src/random.ts";
import type { Scene } from "../attack.ts";
import { attacks } from "../attacks.ts";
import { openTenant } from "../tenants.ts";
import type { AttackOrder, AttackProgress } from "./attacker.ts";
import { createClientFactory } from "./client.ts";
import { type AttackNotes, createTally } from "./tally.ts";

const niceness = 10;

const order = JSON.parse(process.argv[2] as string) as AttackOrder;
const { address, pid, seed, share, seconds } = order;
os.setPriority(niceness);
process.once("disconnect", () => process.exit(1));
const projectIds: string[] = [];
const report = (kind: AttackProgress["kind"], notes: AttackNotes): void =>
  void process.send?.({ kind, notes, projectIds } satisfies AttackProgress);

const attack = attacks.find(({ name }) => name === order.name);
if (attack === undefined) throw new Error(`No attack is named ${order.name}.`);
const preparing = createTally();
const tally = createTally();
const over = new AbortController();
const never = new AbortController().signal;
let isPrepared = false;
const factories = {
  preparing: createClientFactory({ url: address.url, tally: preparing, over: never }),
  attacking: createClientFactory({ url: address.url, tally, over: over.signal }),
};

const scene: Scene = {
  url: address.url,
  pid,
  random: createRandom(seed).fork(order.name),
  scaled: (full) => Math.max(1, Math.round(full * share)),
  async openTenant(name) {
    const tenant = await openTenant(address, name);
    projectIds.push(tenant.projectId);
    return tenant;
  },
  clientOf({ apiKey }) {
    const [before, during] = [factories.preparing(apiKey), factories.attacking(apiKey)];
    const current = () => (isPrepared ? during : before);
    return {
      send: (request) => current().send(request),
      post: (route, body, headers) => current().post(route, body, headers),
      get: (route) => current().get(route),
      make: (route, body) => current().make(route, body),
    };
  },
  tally,
  over: over.signal,
};

try {
  const run = await attack.prepare(scene);
  isPrepared = true;
  process.once("message", async () => {
    setTimeout(() => over.abort(), seconds * 1_000);
    await run();
    report("done", tally.read());
    // Open connections end with the process.
    setTimeout(() => process.exit(), 100);
  });
  report("prepared", preparing.read());
} catch (error) {
  report("unprepared", { answers: {}, complaints: [(error as Error).message] });
}
