import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { printHeading } from "../report.ts";
import { openSustainedTarget } from "./sustained-target.ts";
import { thisVersion } from "./version.ts";
import { type Workload, workloads } from "./workloads.ts";

/** The relevant parts of V8's format. */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  /** Microseconds since the previous sample. */
  timeDeltas: number[];
}

const partsShown = 25;
const functionsShown = 25;

/**
 * Runs a workload on a standalone that records where it spends its time, and prints the self time of its Node process by part of
 * the system and by function: the main thread and all worker threads, from its start to its stop.
 */
export async function benchProfile({ chosen, share }: { chosen: readonly string[]; share: number }): Promise<void> {
  for (const name of chosen.length > 0 ? chosen : Object.keys(workloads)) {
    const workload = workloads[name as keyof typeof workloads] as Workload;
    const units = Math.max(1, Math.round(workload.units * share));
    const folder = await mkdtemp(path.join(tmpdir(), "touchstone-profile-"));
    try {
      await using opened = await openSustainedTarget(thisVersion, { profilesTo: folder });
      await workload.run(opened.target, units, 1);
      await opened.stop();
      printHeading(`${workload.title}: ${units} ${workload.unit}s, self time of Node`);
      printProfiles(await readProfiles(folder), units, workload.unit);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function readProfiles(folder: string): Promise<CpuProfile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".cpuprofile"));
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(path.join(folder, name), "utf8")) as CpuProfile),
  );
}

function printProfiles(profiles: readonly CpuProfile[], units: number, unit: string): void {
  const parts = new Map<string, number>();
  const functions = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, us: number): void => void to.set(key, (to.get(key) ?? 0) + us);
  for (const { nodes, samples, timeDeltas } of profiles) {
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    for (const [index, sample] of samples.entries()) {
      const frame = frames.get(sample);
      if (frame === undefined || frame.functionName === "(idle)") continue;
      const us = timeDeltas[index] ?? 0;
      const part = partOf(frame);
      add(parts, part, us);
      add(functions, `${frame.functionName || "(anonymous)"}, ${part}:${frame.lineNumber + 1}`, us);
    }
  }
  const total = [...parts.values()].reduce((sum, us) => sum + us, 0);
  console.log(`  ${(total / 1_000).toFixed(0)} ms, ${(total / units).toFixed(0)} us a ${unit}`);
  for (const [title, figures, count] of [
    ["by part", parts, partsShown],
    ["by function", functions, functionsShown],
  ] as const) {
    console.log(`  ${title}`);
    for (const [key, us] of [...figures].toSorted(([, one], [, other]) => other - one).slice(0, count)) {
      const share = `${((us * 100) / total).toFixed(1)} %`.padStart(7);
      console.log(`    ${share} ${(us / units).toFixed(1).padStart(8)} us a ${unit}  ${key}`);
    }
  }
}

/** The folder of a feature or of a library, a package, a module of Node, or what the engine itself does. */
function partOf({ functionName, url }: CpuProfile["nodes"][number]["callFrame"]): string {
  if (url === "") return functionName.startsWith("(") ? functionName : "native code";
  if (url.startsWith("node:"))
    return url.split("/")[0] === "node:internal" ? url.split("/").slice(0, 2).join("/") : url;
  const installed = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (installed !== undefined) return installed;
  if (!url.startsWith("file:")) return url.slice(0, 60);
  const [group = "", name = "", , feature = ""] = path.relative(thisVersion.folder, new URL(url).pathname).split("/");
  return feature.endsWith(".ts") || feature === "" ? `${group}/${name}` : `${group}/${name}/${feature}`;
}
