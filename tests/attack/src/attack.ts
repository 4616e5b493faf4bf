import type { Random } from "../../chaos/src/random.ts";
import type { Client } from "./attacker/client.ts";
import type { Tally } from "./attacker/tally.ts";
import type { Setting, Tenant } from "./tenants.ts";

/** One way in which a tenant may try to hurt the others. */
export interface Attack {
  name: string;
  /** One sentence for `--list`. */
  does: string;
  setting: Setting;
  /** Takes at least this long at its full share. Default: as long as any other. */
  secondsMin?: number;
  /** Makes what the attack needs, unmeasured. The function it resolves with attacks until `scene.over`. */
  prepare(scene: Scene): Promise<() => Promise<void>>;
}

/** What an attack is given. */
export interface Scene {
  url: string;
  /** The Node process of the installation. */
  pid: number;
  /** Every choice an attack makes comes from here. */
  random: Random;
  /** Scales a full count or size down for a short run; at least 1. */
  scaled(full: number): number;
  /** A tenant of its own: a project, or an organization with its first project. */
  openTenant(name: string): Promise<Tenant>;
  /** Speaks for a tenant and counts the answers. */
  clientOf(tenant: Pick<Tenant, "apiKey">): Client;
  tally: Tally;
  /** Aborted when the time of the attack is over. */
  over: AbortSignal;
}
