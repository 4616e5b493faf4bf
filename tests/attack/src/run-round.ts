import { createRandom } from "../../chaos/src/random.ts";
import type { Attack } from "./attack.ts";
import { ordinaryTraffic } from "./attacks/ordinary-traffic.ts";
import { bars, type Measurement } from "./bars.ts";
import { type Installation, startInstallation } from "./installation.ts";
import { type Effort, runAttacks, type Usual } from "./run-attack.ts";

export interface Round extends Omit<Effort, "usual"> {
  attacks: readonly Attack[];
  /** No attack starts after this time of `performance.now()`. */
  deadlineMs: number;
  onMeasured(measurement: Measurement): void;
  /** Reports a new installation, which must be stopped when this process ends. */
  onStarted(installation: Installation): void;
}

/** The results of a round besides its measurements. */
export interface Outcome {
  /** Attacks that did not run for lack of time. */
  unreached: string[];
  /** Ids of the probe's traces that were present after their attack and are missing at the end. */
  lost: string[];
}

const warmUpSeconds = 8;

/**
 * Runs the attacks in the order of the seed, on an installation for each setting they need. Ordinary traffic comes
 * first: it warms the installation up, and its measurement shows what the machine can do.
 */
export async function runRound(round: Round): Promise<Outcome> {
  const outcome: Outcome = { unreached: [], lost: [] };
  const { unreached, lost } = outcome;
  for (const setting of ["projects", "organizations"] as const) {
    const ofSetting = round.attacks.filter((attack) => attack.setting === setting);
    if (ofSetting.length === 0) continue;
    const chosen = shuffle(ofSetting, round.seed).filter((attack) => attack !== ordinaryTraffic);
    if (performance.now() > round.deadlineMs) {
      unreached.push(...chosen.map(({ name }) => name));
      continue;
    }
    const installation = await startInstallation(setting, round.seed);
    round.onStarted(installation);
    try {
      let usual = await warmUp(installation, round);
      for (const attack of chosen) {
        // At least one, however short the time.
        const isFirst = attack === chosen[0] && unreached.length === 0;
        if (performance.now() > round.deadlineMs && !isFirst) {
          unreached.push(attack.name);
          continue;
        }
        const measurement = await runAttacks(installation, [attack], { ...round, usual });
        round.onMeasured(measurement);
        if (measurement.wasRestarted) usual = await warmUp(installation, round);
      }
      lost.push(...(await installation.observer.readBack("start")));
    } finally {
      await installation.stop();
    }
  }
  return outcome;
}

/** Sends ordinary traffic and returns what counts as usual on this machine. */
async function warmUp(installation: Installation, round: Round): Promise<Usual> {
  const seconds = Math.min(warmUpSeconds, round.seconds);
  const measurement = await runAttacks(installation, [ordinaryTraffic], { ...round, seconds, usual: null });
  round.onMeasured(measurement);
  const { p99Ms, memoryMb } = measurement.window;
  // A shared machine may be slow by itself.
  return { slowestMs: Math.max(bars.p99Ms, p99Ms), residentMb: memoryMb.after };
}

function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const random = createRandom(seed).fork("order");
  const left = [...items];
  return items.map(() => left.splice(random.integer(0, left.length - 1), 1)[0] as Item);
}
