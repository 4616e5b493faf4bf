import { type AnswerOf, bodyOf, type Touchstone } from "./client.ts";
import { askGate, type GateOptions, type GateVerdict } from "./gate.ts";

/** An address is not worth a longer wait, such as for a rate limit. */
const urlMs = 5_000;

export type RunResult = AnswerOf<"listResults", 200>["results"][number];

/** A run that has ended. */
export class EvaluationRun {
  readonly id: string;
  readonly datasetId: string;
  /** Its page in the dashboard. */
  readonly url: string;
  /** Mean of the rated results, failed ones as 0; null when none is rated. */
  readonly averageRating: number | null;
  readonly resultCount: number;
  readonly ratedCount: number;
  /** Results that no judge could rate. */
  readonly skippedCount: number;
  /** Results whose task failed. */
  readonly failedCount: number;
  /** What scorers threw, by name; the first of each. */
  readonly scorerFailures: Readonly<Record<string, string>>;
  readonly #client: Touchstone;

  private constructor(
    client: Touchstone,
    { runId, datasetId, averageRating, resultCount, liveStatistics }: AnswerOf<"finalizeRun", 200>,
    more: { url: string; scorerFailures: Readonly<Record<string, string>> },
  ) {
    const { ratedCount, skippedCount, failedCount } = liveStatistics;
    this.#client = client;
    this.id = runId;
    this.datasetId = datasetId;
    this.url = more.url;
    this.averageRating = averageRating;
    this.resultCount = resultCount;
    this.ratedCount = ratedCount;
    this.skippedCount = skippedCount;
    this.failedCount = failedCount;
    this.scorerFailures = more.scorerFailures;
  }

  /** Ends a run. One that has ended already stays as it is. */
  static async end(
    client: Touchstone,
    runId: string,
    more: { url: string; scorerFailures: Readonly<Record<string, string>> },
  ): Promise<EvaluationRun> {
    const ended = await bodyOf(
      client.api.POST("/api/v1/custom-agent-evaluations/runs/{runId}/finalize", {
        params: { path: { runId } },
        body: { status: "completed" },
      }),
    );
    return new EvaluationRun(client, ended, more);
  }

  /** Decides whether the run passes. It does not pass by values of a scorer that threw: the missing ones may be the bad ones. */
  async gate(options: GateOptions = {}): Promise<GateVerdict> {
    const gate = await askGate(this.#client, this.id, options);
    const failed = Object.entries(this.scorerFailures).find(([name]) => name === options.metric);
    if (failed === undefined || gate.verdict !== "passed") return gate;
    const undecided = `The scorer ${failed[0]} threw, so that values are missing: ${failed[1]}`;
    return { ...gate, verdict: "undecided", undecided, exitCode: 3 };
  }

  /** Its results, case by case. */
  async *results(): AsyncGenerator<RunResult> {
    let cursor: string | null = null;
    do {
      const page: AnswerOf<"listResults", 200> = await bodyOf(
        this.#client.api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/results", {
          params: { path: { runId: this.id }, query: { limit: "200", ...(cursor !== null && { cursor }) } },
        }),
      );
      yield* page.results;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}

/** The page of a run in the dashboard. Where accounts are enabled a key cannot tell its project: then the run in the API. */
export async function findRunUrl(client: Touchstone, runId: string): Promise<string> {
  const project = await bodyOf(client.api.GET("/api/v1/projects", { signal: AbortSignal.timeout(urlMs) }))
    .then(({ projects }) => projects.find(({ apiKey }) => client.hasKey(apiKey)))
    .catch(() => undefined);
  return project === undefined
    ? `${client.url}/api/v1/custom-agent-evaluations/runs/${runId}`
    : `${client.url}/p/${project._id}/runs/${runId}`;
}
