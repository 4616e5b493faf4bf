import { type AnswerOf, bodyOf, type RunState, readRun, type Touchstone } from "./client.ts";

export interface GateOptions {
  /** The least average rating that passes. */
  failUnder?: number | undefined;
  /** `paired`: compare case by case with the baseline. */
  method?: "paired" | undefined;
  /** The average must not be below the newest baseline's by more than `tolerance`. */
  noRegression?: boolean | undefined;
  tolerance?: number | undefined;
  minEffect?: number | undefined;
  /** An undecided comparison does not pass. */
  strict?: boolean | undefined;
  /** The run to compare with. Default: the newest earlier run of the dataset. */
  baseline?: string | undefined;
  /** Name or id of an additional scorer whose ratings are gated. */
  scorer?: string | undefined;
  /** Name of a score whose values are gated instead of ratings. */
  metric?: string | undefined;
  /** Keep the verdict for the list of gates. */
  record?: boolean | undefined;
  caller?: string | undefined;
  /** The share of results that may be skipped, 0 to 1; with more the gate is undecided. Default 0.1. */
  maxSkipped?: number | undefined;
}

/** The verdict of the API with an exit code for pipelines. */
export type GateVerdict = AnswerOf<"gateRun", 200> & {
  verdict: "passed" | "failed" | "undecided";
  /** Why the gate is undecided; null when it is not. */
  undecided: string | null;
  /** 0 passed, 1 failed, 3 undecided. */
  exitCode: 0 | 1 | 3;
};

const maxSkippedDefault = 0.1;

/** Asks the gate of a run. */
export async function askGate(client: Touchstone, runId: string, options: GateOptions = {}): Promise<GateVerdict> {
  const { maxSkipped = maxSkippedDefault, ...checks } = options;
  const query = Object.fromEntries(
    Object.entries(checks).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  const path = { runId };
  const [gate, run] = await Promise.all([
    bodyOf(client.api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/gate", { params: { path, query } })),
    readRun(client, runId),
  ]);
  if (options.metric !== undefined && gate.gatedMetric !== options.metric) {
    throw new TypeError(`Touchstone at ${client.url} gates no scores yet: upgrade it, or leave out metric.`);
  }
  // A score does not depend on judges.
  const missing = options.metric === undefined ? findMissing(ratingsOf(run, gate.gatedScorer), maxSkipped) : null;
  return { ...gate, ...decide(gate, missing) };
}

type Ratings = Pick<RunState["liveStatistics"], "ratedCount" | "skippedCount">;

/** The ratings that are gated: those of an additional scorer, which may have failed where the judge did not, or the run's. */
function ratingsOf(
  { liveStatistics, scorerBreakdown }: RunState,
  gatedScorer: AnswerOf<"gateRun", 200>["gatedScorer"],
): Ratings {
  const scored = scorerBreakdown?.find(({ scorerId }) => scorerId === gatedScorer?.id)?.scored;
  if (scored === undefined) return liveStatistics;
  const { ratedCount, skippedCount } = liveStatistics;
  return { ratedCount: scored, skippedCount: Math.max(0, ratedCount + skippedCount - scored) };
}

/** Why there are too few ratings to decide by; null when there are enough. */
function findMissing({ ratedCount, skippedCount }: Ratings, maxSkipped: number): string | null {
  const count = ratedCount + skippedCount;
  const isEnough = ratedCount > 0 && skippedCount <= count * maxSkipped;
  return isEnough ? null : `${skippedCount} of ${count} results were skipped, and ${ratedCount} are rated.`;
}

/** A check that fails on figures decides. Without that, missing figures leave the gate undecided. */
function decide(
  { checks, paired, passed }: AnswerOf<"gateRun", 200>,
  missing: string | null,
): Pick<GateVerdict, "verdict" | "undecided" | "exitCode"> {
  const isUndecided = paired?.outcome === "undecided";
  const hasFailed = checks.some((one) => !one.passed && !(one.check === "paired" ? isUndecided : one.actual === null));
  if (hasFailed) return { verdict: "failed", undecided: null, exitCode: 1 };
  const undecided = missing ?? (isUndecided ? (checks.find(({ check }) => check === "paired")?.detail ?? "") : null);
  if (undecided !== null) return { verdict: "undecided", undecided, exitCode: 3 };
  return passed
    ? { verdict: "passed", undecided: null, exitCode: 0 }
    : { verdict: "failed", undecided: null, exitCode: 1 };
}
