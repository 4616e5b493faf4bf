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
  /** The shortest duration at full share. Default: the same as the others. */
  secondsMin?: number;
  /** The longest time until recovery, where accepted work takes longer than usual. */
  settleSecondsMin?: number;
  /** Creates what the attack needs; this is not measured. The function it resolves with attacks until `scene.over`. */
  prepare(scene: Scene): Promise<() => Promise<void>>;
}

/** The input of an attack. */
export interface Scene {
  url: string;
  /** The Node process of the installation. */
  pid: number;
  /** The source of every random choice of an attack. */
  random: Random;
  /** Scales a full count or size down for a short run; at least 1. */
  scaled(full: number): number;
  /** Creates a new tenant: a project, or an organization with its first project. */
  openTenant(name: string): Promise<Tenant>;
  /** A client for a tenant; it counts the answers. */
  clientOf(tenant: Pick<Tenant, "apiKey">): Client;
  tally: Tally;
  /** Aborted when the attack's time is over. */
  over: AbortSignal;
}
