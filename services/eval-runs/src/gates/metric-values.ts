import { canonicalTraceId, isStorable, type RunScores, runScoresMax } from "@touchstone/contracts";
import type { IngestClient } from "../ingest-client.ts";
import type { ResultStore, ScorableResult } from "../results/result-store.ts";
import type { CountedResult } from "../statistics/result-tally.ts";

type RunScore = RunScores["scores"][number];

/** A score of a run that clients gave: how to read its values. */
export interface MetricQuery {
  projectId: string;
  runId: string;
  metric: string;
  requestId: string;
  /** Aborts when the caller has gone. */
  signal: AbortSignal;
}

/** The values of a run's results as ratings; null if no score of the name belongs to any. */
export type ReadMetricValues = (query: MetricQuery) => Promise<CountedResult[] | null>;

export function createMetricReader({
  results,
  ingest,
}: {
  results: Pick<ResultStore, "listScorable">;
  ingest: Pick<IngestClient, "readRunScores">;
}): ReadMetricValues {
  /** A page at a time, for at most so many traces, newest first. */
  async function* readScores(traceIds: readonly string[], query: MetricQuery): AsyncGenerator<RunScore[]> {
    const { projectId, metric: name, requestId, signal } = query;
    for (let start = 0; start === 0 || start < traceIds.length; start += runScoresMax) {
      const asked = { projectId, name, traceIds: traceIds.slice(start, start + runScoresMax) };
      // Those of the run itself come with the first traces.
      const runId = start === 0 ? query.runId : null;
      let cursor: string | null = null;
      do {
        signal.throwIfAborted();
        const page: RunScores = await ingest.readRunScores({ ...asked, runId, cursor }, requestId);
        yield page.scores;
        cursor = page.nextCursor;
      } while (cursor !== null);
    }
  }

  return async (query) => {
    // No score has a name or a trace that PostgreSQL cannot store.
    if (!isStorable(query.metric)) return null;
    const listed = await results.listScorable(query.projectId, query.runId);
    const named = listed.flatMap(({ traceId }) => (traceId !== null && isStorable(traceId) ? traceId : []));
    const traceIds = new Set(named.map(canonicalTraceId));
    const values = createValues(listed);
    for await (const scores of readScores([...traceIds], query)) for (const score of scores) values.add(score);
    return values.end();
  };
}

/** Gives each result the newest score that names its trace, or its case and repetition; a failed one without a score 0. */
function createValues(results: readonly ScorableResult[]) {
  const byTrace = Map.groupBy(results, ({ traceId }) => traceId && canonicalTraceId(traceId));
  const byCase = Map.groupBy(
    results.filter(({ isVariant }) => !isVariant),
    ({ caseId }) => caseId,
  );
  const values = new Map<string, number>();

  return {
    /** Newer scores first. */
    add({ value, ofRun, traceIds }: RunScore): void {
      const named = traceIds.flatMap((traceId) => byTrace.get(traceId) ?? []);
      const cases = ofRun?.caseId == null ? [] : (byCase.get(ofRun.caseId) ?? []);
      const repetitions = cases.filter(({ runNumber }) => ofRun?.runNumber == null || ofRun.runNumber === runNumber);
      for (const { id } of [...named, ...repetitions]) if (!values.has(id)) values.set(id, value);
    },
    end(): CountedResult[] | null {
      if (values.size === 0) return null;
      return results.map(({ id, questionIndex, isVariant, status }) => ({
        ...{ questionIndex, isVariant, status },
        rating: values.get(id) ?? (status === "failed" ? 0 : null),
      }));
    },
  };
}
