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
  /** The scores of the run and of these traces, a page at a time, newest first. */
  async function* readScores(traceIds: string[], query: MetricQuery): AsyncGenerator<RunScore[]> {
    const { projectId, runId, metric: name, requestId, signal } = query;
    let cursor: string | null = null;
    do {
      signal.throwIfAborted();
      const page: RunScores = await ingest.readRunScores({ projectId, runId, name, traceIds, cursor }, requestId);
      yield page.scores;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  return async (query) => {
    // No score has a name or a trace that PostgreSQL cannot store.
    if (!isStorable(query.metric)) return null;
    const listed = await results.listScorable(query.projectId, query.runId);
    const byTrace = Map.groupBy(listed, traceOf);
    const withoutTrace = byTrace.get(null) ?? [];
    byTrace.delete(null);
    const traces = [...byTrace];
    const values = new Map<string, number>();
    for (let start = 0; start === 0 || start < traces.length; start += runScoresMax) {
      const some = traces.slice(start, start + runScoresMax);
      // A result's scores all come together: of those that name its trace and those that name its case the newest counts.
      const results = [...some.flatMap(([, ofTrace]) => ofTrace), ...(start === 0 ? withoutTrace : [])];
      const addTo = createValues(results, values);
      const traceIds = some.map(([traceId]) => traceId as string);
      for await (const scores of readScores(traceIds, query)) for (const score of scores) addTo(score);
    }
    if (values.size === 0) return null;
    return listed.map(({ id, questionIndex, isVariant, status }) => ({
      ...{ questionIndex, isVariant, status },
      rating: values.get(id) ?? (status === "failed" ? 0 : null),
    }));
  };
}

/** Null: it has no trace that a score could name. */
const traceOf = ({ traceId }: ScorableResult): string | null =>
  traceId !== null && isStorable(traceId) ? canonicalTraceId(traceId) : null;

/**
 * Gives each of the results the newest score that names its trace, or its case and repetition. A score of a span belongs to
 * the result of this span where several share the trace. Call it with newer scores first.
 */
function createValues(results: readonly ScorableResult[], values: Map<string, number>): (score: RunScore) => void {
  const byTrace = Map.groupBy(results, traceOf);
  const byCase = Map.groupBy(
    results.filter(({ isVariant }) => !isVariant),
    ({ caseId }) => caseId,
  );
  const inTrace = (traceId: string, spanId: string | null): readonly ScorableResult[] => {
    const all = byTrace.get(traceId) ?? [];
    return spanId === null || all.length < 2 ? all : all.filter((result) => result.spanId === spanId.toLowerCase());
  };
  return ({ value, ofRun, traceIds, spanId }) => {
    const named = traceIds.flatMap((traceId) => inTrace(traceId, spanId));
    const cases = ofRun?.caseId == null ? [] : (byCase.get(ofRun.caseId) ?? []);
    const repetitions = cases.filter(({ runNumber }) => ofRun?.runNumber == null || ofRun.runNumber === runNumber);
    for (const { id } of [...named, ...repetitions]) if (!values.has(id)) values.set(id, value);
  };
}
