import { setTimeout as sleep } from "node:timers/promises";
import type { AuditReport } from "./audit.ts";
import { auditUnderLoad } from "./audited-load.ts";
import { faults } from "./faults.ts";
import type { Installation } from "./installation.ts";
import { createRandom } from "./random.ts";

export interface Schedule {
  seed: number;
  /** Names of the faults, in their order. */
  names: readonly string[];
}

/** The faults of a seed. */
export function planSchedule(seed: number, count: number): Schedule {
  const random = createRandom(seed).fork("schedule");
  return { seed, names: Array.from({ length: count }, () => random.pick(faults).name) };
}

/** Writes while the faults of the schedule happen in sequence, then audits. */
export async function runSchedule(system: Installation, { seed, names }: Schedule): Promise<AuditReport> {
  const random = createRandom(seed).fork("faults");
  return auditUnderLoad(system, { seed }, async (load) => {
    for (const name of names) {
      const fault = faults.find((candidate) => candidate.name === name);
      if (fault === undefined) throw new Error(`no fault is named ${name}`);
      await load.awaitAcks(15);
      await sleep(random.integer(0, 300));
      await fault.hurt(system, random);
    }
    await load.awaitAcks(30);
  });
}
