import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "./attack.ts";
import { startAttacker } from "./attacker/attacker.ts";
import { addUp } from "./attacker/tally.ts";
import { bars, type Measurement } from "./bars.ts";
import type { Installation } from "./installation.ts";
import { closeTenants } from "./tenants.ts";

/** An installation that no one attacks. */
export interface Usual {
  /** The probe is served as usual when its slowest request takes no longer than this. */
  slowestMs: number;
  /** Its resident memory after ordinary traffic. Memory that an idle process gave back makes the one before an attack less than that. */
  residentMb: number;
}

export interface Effort {
  seed: number;
  /** The duration of the attack. */
  seconds: number;
  /** The share of the full counts and sizes, above 0 and up to 1. */
  share: number;
  /** The longest time until recovery: all is quiet and the memory is released. */
  settleSeconds: number;
  /** Null for one that was just started: its memory has not yet grown to its usual size. */
  usual: Usual | null;
}

/** The probe must be served quickly for this long to count as quiet. */
const quietMs = 2_000;
/** A request that waits this long counts as unanswered. */
const hangingMs = 5_000;

/**
 * Prepares attacks, runs them concurrently beside the probe, and waits until the installation is quiet again. Restarts
 * an installation that died or does not recover. Deletes their projects at the end.
 */
export async function runAttacks(
  installation: Installation,
  attacks: readonly Attack[],
  effort: Effort,
): Promise<Measurement> {
  const { observer, address, pid } = installation;
  const { seed, share, usual } = effort;
  const seconds = Math.max(effort.seconds, ...attacks.map(({ secondsMin = 0 }) => secondsMin * share));
  const settleSeconds = Math.max(
    effort.settleSeconds,
    ...attacks.map(({ settleSecondsMin = 0 }) => settleSecondsMin * share),
  );
  await observer.rememberMemory();
  const attackers = await Promise.all(
    attacks.map(({ name }) => startAttacker({ name, address, pid, seed, share, seconds })),
  );
  try {
    await comesToRest(installation, { settleSeconds, usual }, { withMemory: false });
    await observer.begin();
    const startedMs = performance.now();
    const ended = await Promise.all(attackers.map((attacker) => attacker.attack()));
    const attackedSeconds = (performance.now() - startedMs) / 1_000;
    await observer.attackIsOver();
    const isAtRest = await comesToRest(installation, { settleSeconds, usual }, { withMemory: true });
    const settledSeconds = (performance.now() - startedMs) / 1_000 - attackedSeconds;
    const hasDied = !(await installation.isAlive());
    const log = hasDied ? installation.logTail() : "";
    const window = await observer.end();
    installation.forgetPrompts();
    const wasRestarted = hasDied || !isAtRest;
    if (wasRestarted) await installation.restart();
    const lost = await observer.readBack("begin");
    await closeTenants(
      address,
      ended.flatMap(({ projectIds }) => projectIds),
    );
    return {
      attack: attacks.map(({ name }) => name).join(" + "),
      seconds: attackedSeconds,
      settledSeconds,
      window,
      lost,
      notes: addUp(ended.map(({ notes }) => notes)),
      hasDied,
      wasRestarted,
      usualMb: usual?.residentMb ?? null,
      log,
    };
  } finally {
    for (const attacker of attackers) attacker.kill();
  }
}

/**
 * Waits until the probe is served as usual and, if requested, the memory is released. Returns whether the installation
 * can go on: it answers, and its memory is within the limit.
 */
async function comesToRest(
  { observer, isAlive }: Installation,
  { settleSeconds, usual }: Pick<Effort, "settleSeconds" | "usual">,
  { withMemory }: { withMemory: boolean },
): Promise<boolean> {
  const deadline = performance.now() + settleSeconds * 1_000;
  await sleep(Math.min(quietMs, settleSeconds * 1_000));
  for (;;) {
    const { slowestMs, residentMb, beforeMb } = await observer.now(quietMs);
    const isBack =
      !withMemory || usual === null || residentMb <= Math.max(beforeMb, usual.residentMb) * bars.memoryBack;
    if (slowestMs <= (usual?.slowestMs ?? bars.worstMs) && isBack) return true;
    if (performance.now() > deadline || !(await isAlive())) {
      return slowestMs <= hangingMs && residentMb <= beforeMb + bars.addedMb;
    }
    await sleep(250);
  }
}
