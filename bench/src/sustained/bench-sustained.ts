import { type Measurement, median } from "../closed-loop.ts";
import { createRandom } from "../dataset/random.ts";
import { printHeading } from "../report.ts";
import { type CpuMs, measureIdleCores, readTree, sumOf, waitUntilDrained } from "./process-cpu.ts";
import { openSustainedTarget } from "./sustained-target.ts";
import { checkOut, thisVersion, type Version } from "./version.ts";
import { type Workload, workloads } from "./workloads.ts";

export interface SustainedOptions {
  /** How often each workload runs on each version. */
  turns: number;
  /** Names of workloads; all of them when empty. */
  chosen: readonly string[];
  /** The part of the full size, for a first look. */
  share: number;
  /** A commit to compare with. */
  against: string | null;
}

/** One run of a workload on an empty system, up to the moment when nothing is left to do. */
interface Turn {
  measured: Measurement;
  /** CPU a unit, without what an idle system uses. */
  cpuMs: CpuMs;
  walKb: number;
  peakMb: number;
  isDrained: boolean;
}

const settleSeconds = 5;
const sampleMs = 500;

/**
 * What storing and judging cost, including all that is done later: texts that never repeat, on an empty folder each time, until
 * the search index is merged and all events are handled. Counts the CPU of all processes, and the bytes of PostgreSQL's log.
 */
export async function benchSustained({ turns, chosen, share, against }: SustainedOptions): Promise<void> {
  const versions = [thisVersion, ...(against === null ? [] : [await checkOut(against)])];
  const random = createRandom(turns);
  for (const name of chosen.length > 0 ? chosen : Object.keys(workloads)) {
    const workload = workloads[name as keyof typeof workloads] as Workload;
    const units = Math.max(1, Math.round(workload.units * share));
    printHeading(`${workload.title}: ${units} ${workload.unit}s, ${turns} turns`);
    const done = new Map<Version, Turn[]>(versions.map((version) => [version, []]));
    for (let turn = 0; turn < turns; turn += 1) {
      const order = random.below(2) === 0 ? versions : versions.toReversed();
      for (const version of order) {
        const took = await takeTurn(version, workload, units, turn + 1);
        done.get(version)?.push(took);
        console.log(`  turn ${turn + 1}, ${version.name.padEnd(13)} ${describeTurn(took, workload.unit)}`);
      }
    }
    const [own = [], other] = [...done.values()];
    if (other !== undefined) printRatios(own, other, `${thisVersion.name} / ${versions[1]?.name}`);
  }
}

async function takeTurn(version: Version, workload: Workload, units: number, seed: number): Promise<Turn> {
  await using opened = await openSustainedTarget(version);
  const { pid } = opened;
  await measureIdleCores(pid, settleSeconds);
  const idleCores = await measureIdleCores(pid, settleSeconds);
  let peakMb = 0;
  const watch = setInterval(() => {
    void readTree(pid).then(({ nodeMb }) => {
      peakMb = Math.max(peakMb, nodeMb);
    });
  }, sampleMs);
  try {
    const startedMs = performance.now();
    const [before, walBefore] = [(await readTree(pid)).cpuMs, await opened.readWalBytes()];
    const measured = await workload.run(opened.target, units, seed);
    const isDrained = await waitUntilDrained(pid, idleCores);
    const [after, walAfter] = [(await readTree(pid)).cpuMs, await opened.readWalBytes()];
    // What an idle system uses is taken from its parts as they used it.
    const idleShare = (idleCores * (performance.now() - startedMs)) / (sumOf(after) - sumOf(before));
    const perUnit = (part: keyof CpuMs): number => ((after[part] - before[part]) * (1 - idleShare)) / units;
    return {
      measured,
      cpuMs: { node: perUnit("node"), postgres: perUnit("postgres"), nats: perUnit("nats") },
      walKb: (walAfter - walBefore) / units / 1024,
      peakMb,
      isDrained,
    };
  } finally {
    clearInterval(watch);
  }
}

function describeTurn({ measured, cpuMs, walKb, peakMb, isDrained }: Turn, unit: string): string {
  const { perSecond, p50Ms, p99Ms } = measured;
  return [
    `${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(1)} ms`,
    `CPU a ${unit} ${sumOf(cpuMs).toFixed(3)} ms (Node ${cpuMs.node.toFixed(3)}, PostgreSQL ${cpuMs.postgres.toFixed(3)}, NATS ${cpuMs.nats.toFixed(3)})`,
    `log ${walKb.toFixed(2)} KB`,
    `at most ${peakMb.toFixed(0)} MB`,
    ...(isDrained ? [] : ["NOT DRAINED"]),
  ].join("; ");
}

/** The median, the lowest and the highest ratio of the turns. */
function printRatios(own: readonly Turn[], other: readonly Turn[], title: string): void {
  const figures: Record<string, (turn: Turn) => number> = {
    CPU: ({ cpuMs }) => sumOf(cpuMs),
    "CPU of Node": ({ cpuMs }) => cpuMs.node,
    "CPU of PostgreSQL": ({ cpuMs }) => cpuMs.postgres,
    "bytes of the log": ({ walKb }) => walKb,
    rate: ({ measured }) => measured.perSecond,
    p50: ({ measured }) => measured.p50Ms,
    "memory of Node": ({ peakMb }) => peakMb,
  };
  console.log(`  ${title}, median (lowest to highest)`);
  for (const [name, read] of Object.entries(figures)) {
    const ratios = own.map((turn, index) => read(turn) / read(other[index] as Turn)).sort((one, two) => one - two);
    console.log(
      `    ${name.padEnd(18)} ${median(ratios).toFixed(2)} (${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)})`,
    );
  }
}
