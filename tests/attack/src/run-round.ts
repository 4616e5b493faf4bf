import { createRandom } from "../../chaos/src/random.ts";
import type { Attack } from "./attack.ts";
import { ordinaryTraffic } from "./attacks/ordinary-traffic.ts";
import { bars, type Measurement } from "./bars.ts";
import { type Installation, startInstallation } from "./installation.ts";
import { type Effort, runAttacks } from "./run-attack.ts";

export interface Round extends Omit<Effort, "usualMs" | "isWarmUp"> {
  attacks: readonly Attack[];
  /** No attack begins after this moment of `performance.now()`. */
  deadlineMs: number;
  onMeasured(measurement: Measurement): void;
  /** An installation was started, to be stopped when this process is asked to end. */
  onStarted(installation: Installation): void;
}

/** What a round leaves behind besides its measurements. */
export interface Outcome {
  /** Attacks for which there was no time. */
  unreached: string[];
  /** Ids of traces of the probe that were there after their attack, and are not at the end. */
  lost: string[];
}

const warmUpSeconds = 8;

/**
 * Carries out the attacks in an order that the seed gives, on an installation for each setting they need. Before the first
 * one ordinary traffic warms it up, and is measured too: it says what the machine can do.
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
      let usualMs = await warmUp(installation, round);
      for (const attack of chosen) {
        // One at least, however short the time.
        const isFirst = attack === chosen[0] && unreached.length === 0;
        if (performance.now() > round.deadlineMs && !isFirst) {
          unreached.push(attack.name);
          continue;
        }
        const measurement = await runAttacks(installation, [attack], { ...round, usualMs, isWarmUp: false });
        round.onMeasured(measurement);
        if (measurement.wasRestarted) usualMs = await warmUp(installation, round);
      }
      lost.push(...(await installation.observer.readBack("start")));
    } finally {
      await installation.stop();
    }
  }
  return outcome;
}

/** Sends ordinary traffic, and answers how long the slowest request takes that is nothing unusual. */
async function warmUp(installation: Installation, round: Round): Promise<number> {
  const seconds = Math.min(warmUpSeconds, round.seconds);
  const effort = { ...round, seconds, usualMs: bars.worstMs, isWarmUp: true };
  const measurement = await runAttacks(installation, [ordinaryTraffic], effort);
  round.onMeasured(measurement);
  // On a machine that others use, no more can be waited for than what comes.
  return Math.max(bars.p99Ms, measurement.window.p99Ms);
}

function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const random = createRandom(seed).fork("order");
  const left = [...items];
  return items.map(() => left.splice(random.integer(0, left.length - 1), 1)[0] as Item);
}
