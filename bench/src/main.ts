/**
 * `npm run bench`: measures the system on this machine, each figure with its yardstick or bar from the same run.
 * Figures of different runs or machines do not compare; ratios do. See README.md for the options.
 */
import { parseArgs } from "node:util";
import { benchDashboard } from "./dashboard/bench-dashboard.ts";
import { benchDoors } from "./doors.ts";
import { benchJudging } from "./judging.ts";
import { benchOtlpExports } from "./otlp-exports.ts";
import { benchReads } from "./reads.ts";
import { benchSingleTraces } from "./single-traces.ts";
import { benchStart } from "./start-and-memory.ts";
import { benchProfile } from "./sustained/bench-profile.ts";
import { benchSustained } from "./sustained/bench-sustained.ts";
import { workloads } from "./sustained/workloads.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    roots: { type: "string", default: "250000" },
    searched: { type: "string" },
    only: { type: "string" },
    against: { type: "string" },
    turns: { type: "string", default: "1" },
    workloads: { type: "string", default: "" },
    share: { type: "string", default: "1" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const roots = Number(values.roots);
const searched = Number(values.searched ?? values.roots);
const turns = Number(values.turns);
const share = Number(values.share);
/** After `sustained` or `profile` come workloads: `single` is also the name of a bench. */
const benchesNamed = ["sustained", "profile"].includes(positionals[0] ?? "") ? 1 : positionals.length;
const chosenWorkloads = [...positionals.slice(benchesNamed), ...values.workloads.split(",").filter(Boolean)];

const benches = {
  start: benchStart,
  single: () => benchSingleTraces({ rounds, seconds }),
  otlp: () => benchOtlpExports({ rounds, seconds }),
  doors: () => benchDoors({ rounds }),
  reads: () => benchReads({ roots, searched, rounds, seconds }),
  judge: () => benchJudging({ rounds, seconds }),
  dashboard: () => benchDashboard({ rounds }),
  profile: () => benchProfile({ share, chosen: chosenWorkloads }),
  sustained: () => benchSustained({ turns, share, chosen: chosenWorkloads, against: values.against ?? null }),
};
type BenchName = keyof typeof benches;
const names = Object.keys(benches) as BenchName[];
/** They take minutes for each workload. */
const namedOnly: readonly string[] = ["sustained", "profile", "doors"];
const named = [...positionals.slice(0, benchesNamed), ...(values.only?.split(",") ?? [])];
const chosen = named.length > 0 ? named : names.filter((name) => !namedOnly.includes(name));
const unknown = chosen.find((name) => !names.includes(name as BenchName));
if (unknown !== undefined) refuse(`There are the benches ${names.join(", ")}, but no ${unknown}.`);
if (!(rounds >= 1 && rounds <= 50 && seconds >= 1 && seconds <= 60)) {
  refuse("--rounds takes 1 to 50, --seconds 1 to 60.");
}
if (!(Number.isInteger(roots) && roots >= 4_000 && roots <= 5_000_000)) refuse("--roots takes 4000 to 5000000.");
if (!(Number.isInteger(searched) && searched >= 4_000 && searched <= roots && (roots - searched) % 2 === 0)) {
  refuse("--searched takes 4000 to the number of roots, and as even a number as that.");
}
const unknownWorkload = chosenWorkloads.find((name) => !(name in workloads));
if (unknownWorkload !== undefined) {
  refuse(`There are the workloads ${Object.keys(workloads).join(", ")}, but no ${unknownWorkload}.`);
}
if (!(Number.isInteger(turns) && turns >= 1 && turns <= 50)) refuse("--turns takes 1 to 50.");
if (!(share > 0 && share <= 10)) refuse("--share takes a number above 0, up to 10.");

console.log("Driver, gateway, services, PostgreSQL and nats-server share this machine's cores.");
for (const name of chosen) await benches[name as BenchName]();

function refuse(why: string): never {
  console.error(why);
  process.exit(1);
}
