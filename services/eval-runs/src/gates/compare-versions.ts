import type { comparedVersions } from "@touchstone/contracts";
import { isJsonObject } from "@touchstone/service-kit";
import type { z } from "zod";
import { unversioned } from "../runs/run-filter-reader.ts";

type Reply = z.input<typeof comparedVersions>;

/** The values of a completed run that a comparison of versions needs. */
export interface VersionedRun {
  id: string;
  createdAt: Date;
  version: string | null;
  /** The number of rated results without variants. */
  ratedCount: number;
  ratingSum: number;
}

/** The largest decrease from the previous version's average that still passes. */
const tolerance = 0.5;

/** Groups runs by their version, the latest one first, and compares it with the previous one (completions 5.7). */
export function composeVersions(runs: readonly VersionedRun[]): Reply {
  const versions = [...Map.groupBy(runs, (run) => run.version ?? unversioned)].map(([version, ofVersion]) => {
    const [latest] = ofVersion;
    const ratedCount = ofVersion.reduce((count, run) => count + run.ratedCount, 0);
    const ratingSum = ofVersion.reduce((sum, run) => sum + run.ratingSum, 0);
    return {
      version,
      runCount: ofVersion.length,
      ratedCount,
      averageRating: ratedCount === 0 ? null : ratingSum / ratedCount,
      lastRunAt: (latest as VersionedRun).createdAt.toISOString(),
      latestRunId: (latest as VersionedRun).id,
    };
  });
  const [candidate, baseline] = versions;
  if (candidate === undefined || baseline === undefined) return { versions, comparison: null };
  const [candidateAvg, baselineAvg] = [candidate.averageRating, baseline.averageRating];
  return {
    versions,
    comparison: {
      candidateVersion: candidate.version,
      baselineVersion: baseline.version,
      candidateAvg,
      baselineAvg,
      passed: baselineAvg === null || (candidateAvg !== null && baselineAvg - candidateAvg <= tolerance + 1e-9),
    },
  };
}

/**
 * The agent version in a run's subject (completions 5.1): `version`, else `metadata.version`, trimmed; null when it has none.
 * `subject` is the stored JSON text.
 */
export function readVersionLabel(subject: string | null): string | null {
  const parsed: unknown = subject === null ? null : JSON.parse(subject);
  if (!isJsonObject(parsed)) return null;
  const metadata = isJsonObject(parsed.metadata) ? parsed.metadata : {};
  for (const version of [parsed.version, metadata.version]) {
    const label = typeof version === "number" ? String(version) : version;
    if (typeof label === "string" && label.trim() !== "") return label.trim();
  }
  return null;
}
