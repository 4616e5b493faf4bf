import {
  deadlines,
  internalRoutes,
  type JudgedTrace,
  type RecordedTurn,
  type RunScores,
  type TraceOutput,
} from "@touchstone/contracts";
import type { InternalClient } from "@touchstone/service-kit";
import type { z } from "zod";

/** A recorded trace or session, of one project. */
export type Recorded = { traceId: string } | { sessionId: string };

export type RunScoresQuery = z.input<typeof internalRoutes.readRunScores.body>;

export type TraceOutputsQuery = z.input<typeof internalRoutes.readTraceOutputs.body>;

export interface TraceQuery {
  projectId: string;
  traceId: string;
  withContent: boolean;
}

/**
 * eval-runs' requests to ingest about recorded traffic. Every call has a deadline and throws `service_unavailable` when ingest
 * does not answer.
 */
export interface IngestClient {
  /** The turns of a trace or session, in order; empty when it does not exist or has no questions. */
  readTurns(projectId: string, recorded: Recorded, requestId: string): Promise<RecordedTurn[]>;
  /**
   * The parts of one trace that judging needs, with input and output only if `withContent`; null = no such trace in the
   * project.
   */
  readTrace(query: TraceQuery, requestId: string): Promise<JudgedTrace | null>;
  /** The outputs of the first of these traces, null where one is not there yet; at least one element. */
  readOutputs(query: TraceOutputsQuery, requestId: string): Promise<(TraceOutput | null)[]>;
  /** A page of the scores that clients gave a run or some traces. */
  readRunScores(query: RunScoresQuery, requestId: string): Promise<RunScores>;
}

export function createIngestClient(client: Pick<InternalClient, "call">): IngestClient {
  const within = (requestId: string) => ({ requestId, deadlineMs: deadlines.traceReadMs });
  return {
    async readTurns(projectId, recorded, requestId) {
      return (await client.call(internalRoutes.readTurns, { projectId, ...recorded }, within(requestId))).turns;
    },
    async readTrace(query, requestId) {
      return (await client.call(internalRoutes.readTraceForJudging, query, within(requestId))).trace;
    },
    async readOutputs(query, requestId) {
      return (await client.call(internalRoutes.readTraceOutputs, query, within(requestId))).outputs;
    },
    readRunScores: (query, requestId) => client.call(internalRoutes.readRunScores, query, within(requestId)),
  };
}
