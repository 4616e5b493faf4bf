/**
 * `npm run chaos -- --minutes n --seed s`: random schedules of all faults in sequence, each followed by the audit of
 * acknowledged writes. Ends at the first finding and prints its seed: `--seed s --schedules 1` repeats it.
 */
import { parseArgs } from "node:util";
import { describeReport, listFindings } from "./audit.ts";
import { startInstallation } from "./installation.ts";
import { planSchedule, runSchedule } from "./run-schedule.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    schedules: { type: "string", default: "1000000" },
    faults: { type: "string", default: "8" },
    gateways: { type: "string", default: "2" },
    ingests: { type: "string", default: "3" },
  },
});
const [minutes, firstSeed, schedulesMax, faultCount, gateways, ingests] = [
  values.minutes,
  values.seed,
  values.schedules,
  values.faults,
  values.gateways,
  values.ingests,
].map(Number) as [number, number, number, number, number, number];
if (!(minutes > 0 && minutes <= 24 * 60 && schedulesMax >= 1 && faultCount >= 1 && gateways >= 1 && ingests >= 1)) {
  console.error("--minutes takes 1 to 1440, --schedules, --faults, --gateways and --ingests a positive number.");
  process.exit(1);
}

const deadline = Date.now() + minutes * 60_000;
const totals = { schedules: 0, faults: 0, acked: 0, refused: 0, broken: 0 };
let failed = false;
const system = await startInstallation({ gateways, ingests });
try {
  for (let seed = firstSeed; Date.now() < deadline && totals.schedules < schedulesMax && !failed; seed += 1) {
    const schedule = planSchedule(seed, faultCount);
    console.log(`seed ${seed}: ${schedule.names.join(", ")}`);
    const report = await runSchedule(system, schedule);
    console.log(`  ${describeReport(report)}`);
    totals.schedules += 1;
    totals.faults += schedule.names.length;
    totals.acked += report.acked;
    totals.refused += report.refused;
    totals.broken += report.broken;
    failed = listFindings(report).length > 0;
    if (failed) console.error(`FAILED with seed ${seed}.`);
  }
} finally {
  await system.stop();
}
console.log(
  Object.entries(totals)
    .map(([name, count]) => `${name} ${count}`)
    .join(", "),
);
process.exitCode = failed ? 1 : 0;
