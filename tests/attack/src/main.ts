/**
 * `npm run attack -- --minutes n --seed s`: one tenant attacks an installation in all known ways, one after the other,
 * while a well-behaved tenant measures its response times. Exits with 1 when a limit is missed.
 */
import { parseArgs } from "node:util";
import { attacks } from "./attacks.ts";
import { bars, findMissed, type Measurement } from "./bars.ts";
import { describeFloors, type Floor, findGrowth, noteFloor } from "./growth.ts";
import { startInstallation } from "./installation.ts";
import { describeMeasurement, renderTable, sumUp } from "./report.ts";
import { type Attacked, runRound } from "./run-round.ts";
import type { Setting } from "./tenants.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    only: { type: "string" },
    share: { type: "string", default: "1" },
    report: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});
if (values.list) {
  for (const { name, does } of attacks) console.log(`${name.padEnd(17)} ${does}`);
  process.exit(0);
}
const [minutes, firstSeed, share] = [values.minutes, values.seed, values.share].map(Number) as [number, number, number];
const names = values.only?.split(",") ?? attacks.map(({ name }) => name);
const unknown = names.filter((name) => !attacks.some((attack) => attack.name === name));
if (!(minutes > 0 && minutes <= 24 * 60 && Number.isInteger(firstSeed) && share > 0 && share <= 1)) {
  fail("--minutes takes up to 1440, --seed an integer, --share more than 0 and at most 1.");
}
if (unknown.length > 0) fail(`No attack is named ${unknown.join(", ")}. --list shows all.`);
const chosen = attacks.filter(({ name }) => names.includes(name));

/** The overhead of an attack: preparation, and the time until the installation recovers. */
const overheadSeconds = 20;
const settleSeconds = 30;
const secondsEach = Math.round(Math.min(30, Math.max(8, (minutes * 60) / chosen.length - overheadSeconds)));

const opened = new Map<Setting, Attacked>();
async function open(setting: Setting): Promise<Attacked> {
  for (const [other, { installation }] of opened) {
    if (other === setting) await installation.observer.resume();
    else await installation.observer.pause();
  }
  const attacked = opened.get(setting) ?? { installation: await startInstallation(setting, firstSeed), usual: null };
  opened.set(setting, attacked);
  return attacked;
}
const stop = async (): Promise<void> => {
  for (const { installation } of opened.values()) await installation.stop();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    console.error("Stopping ...");
    await stop();
    process.exit(130);
  });
}

const measured: Measurement[] = [];
const floors: Floor[] = [];
const startedMs = performance.now();
const deadlineMs = startedMs + minutes * 60_000;
const lost: string[] = [];
console.log(`${chosen.length} attacks of ${secondsEach} s each, seed ${firstSeed}`);
try {
  for (let seed = firstSeed; seed === firstSeed || performance.now() < deadlineMs; seed += 1) {
    const minute = (performance.now() - startedMs) / 60_000;
    const unreached = await runRound({
      attacks: chosen,
      seed,
      seconds: secondsEach,
      share,
      settleSeconds,
      deadlineMs,
      onMeasured(measurement, setting) {
        measured.push(measurement);
        noteFloor(floors, { seed, minute, setting }, measurement);
        console.log(`\n${describeMeasurement(measurement, bars)}`);
      },
      open,
    });
    if (unreached.length > 0) console.log(`\nNot reached with seed ${seed}: ${unreached.join(", ")}.`);
  }
  for (const { installation } of opened.values()) lost.push(...(await installation.observer.readBack("start")));
} finally {
  await stop();
}
if (lost.length > 0) console.log(`\nLost at the end: ${lost.join(", ")}.`);
console.log(`\n${renderTable([...measured, sumUp(measured)], bars)}`);
const slowest = Math.max(...measured.map(({ window }) => window.ownDelayMs));
if (slowest > bars.stallMs) {
  console.log(
    `\nThe machine was busy: the probe itself was late by up to ${slowest.toFixed(0)} ms. Bars in milliseconds need one that is free.`,
  );
}
if (floors.length > 0) console.log(`\n${describeFloors(floors)}`);
const growth = findGrowth(floors, bars);
for (const sentence of growth) console.log(`  MISSED: ${sentence}`);
const missed = measured.filter((measurement) => findMissed(measurement, bars).length > 0);
console.log(`\n${measured.length} attacks, ${missed.length} missed a bar.`);
const isMissed = missed.length > 0 || growth.length > 0 || lost.length > 0;
process.exit(isMissed && !values.report ? 1 : 0);

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
