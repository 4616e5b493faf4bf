import { type AnswerOf, bodyOf, type Touchstone } from "./client.ts";

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
    bodyOf(
      client.api.GET("/api/v1/custom-agent-evaluations/runs/{runId}", {
        params: { path, query: { results: "none", caseStatistics: "none" } },
      }),
    ),
  ]);
  return { ...gate, ...decide(gate, run.liveStatistics, maxSkipped) };
}

/** A check that fails on figures decides. Without that, missing figures leave the gate undecided. */
function decide(
  gate: AnswerOf<"gateRun", 200>,
  { ratedCount, skippedCount }: { ratedCount: number; skippedCount: number },
  maxSkipped: number,
): Pick<GateVerdict, "verdict" | "undecided" | "exitCode"> {
  const isUndecided = gate.paired?.outcome === "undecided";
  const failed = gate.checks.filter(
    ({ check, passed, actual }) => !passed && !(check === "paired" ? isUndecided : actual === null),
  );
  if (failed.length > 0) return { verdict: "failed", undecided: null, exitCode: 1 };
  const results = ratedCount + skippedCount;
  const undecided =
    results === 0 || skippedCount / results > maxSkipped
      ? `${skippedCount} of ${results} results were skipped, and ${ratedCount} are rated.`
      : isUndecided
        ? (gate.checks.find(({ check }) => check === "paired")?.detail ?? "The comparison is undecided.")
        : null;
  if (undecided !== null) return { verdict: "undecided", undecided, exitCode: 3 };
  return gate.passed
    ? { verdict: "passed", undecided: null, exitCode: 0 }
    : { verdict: "failed", undecided: null, exitCode: 1 };
}
