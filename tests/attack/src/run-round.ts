import { createRandom } from "../../chaos/src/random.ts";
import type { Attack } from "./attack.ts";
import { ordinaryTraffic } from "./attacks/ordinary-traffic.ts";
import { bars, type Measurement } from "./bars.ts";
import type { Installation } from "./installation.ts";
import { type Effort, runAttacks, type Usual } from "./run-attack.ts";
import type { Setting } from "./tenants.ts";

/** An installation that serves all rounds. */
export interface Attacked {
  installation: Installation;
  /** Null until it was measured. */
  usual: Usual | null;
}

export interface Round extends Omit<Effort, "usual"> {
  attacks: readonly Attack[];
  /** No attack starts after this time of `performance.now()`. */
  deadlineMs: number;
  onMeasured(measurement: Measurement, setting: Setting): void;
  /** The installation with this setting; the first call starts it. */
  open(setting: Setting): Promise<Attacked>;
}

const warmUpSeconds = 8;

/**
 * Runs the attacks in the order of the seed, on an installation for each setting they need. Ordinary traffic comes
 * first on a new one: it warms the installation up, and its measurement shows what the machine can do. Returns the attacks that did
 * not run for lack of time.
 */
export async function runRound(round: Round): Promise<string[]> {
  const unreached: string[] = [];
  for (const setting of ["projects", "organizations"] as const) {
    const chosen = shuffle(
      round.attacks.filter((attack) => attack.setting === setting),
      round.seed,
    );
    if (chosen.length === 0) continue;
    if (performance.now() > round.deadlineMs) {
      unreached.push(...chosen.map(({ name }) => name));
      continue;
    }
    const attacked = await round.open(setting);
    const { installation } = attacked;
    const isNew = attacked.usual === null;
    attacked.usual ??= await warmUp(installation, setting, round);
    const left = isNew ? chosen.filter((attack) => attack !== ordinaryTraffic) : chosen;
    for (const attack of left) {
      // At least one, however short the time.
      const isFirst = attack === left[0] && unreached.length === 0;
      if (performance.now() > round.deadlineMs && !isFirst) {
        unreached.push(attack.name);
        continue;
      }
      const measurement = await runAttacks(installation, [attack], { ...round, usual: attacked.usual });
      round.onMeasured(measurement, setting);
      if (measurement.wasRestarted) attacked.usual = await warmUp(installation, setting, round);
    }
  }
  return unreached;
}

/** Sends ordinary traffic and returns what counts as usual on this machine. */
async function warmUp(installation: Installation, setting: Setting, round: Round): Promise<Usual> {
  const seconds = Math.min(warmUpSeconds, round.seconds);
  const measurement = await runAttacks(installation, [ordinaryTraffic], { ...round, seconds, usual: null });
  round.onMeasured(measurement, setting);
  const { p99Ms, memoryMb } = measurement.window;
  // A shared machine may be slow by itself.
  return { slowestMs: Math.max(bars.p99Ms, p99Ms), residentMb: memoryMb.after };
}

function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const random = createRandom(seed).fork("order");
  const left = [...items];
  return items.map(() => left.splice(random.integer(0, left.length - 1), 1)[0] as Item);
}
