import { randomUUID } from "node:crypto";
import { isUuid, type JudgedTrace, type Trajectory } from "@touchstone/contracts";
import type { Logger } from "@touchstone/service-kit";
import { type GradingPlan, gradersOf } from "../grading/plan.ts";
import type { IngestClient } from "../ingest-client.ts";
import type { ToolSchemaStore } from "../registries/tool-schema-store.ts";
import type { LinkedTrace } from "./judge-request.ts";
import type { LinkTrace } from "./judge-result.ts";

/** The parts of linked traces that judges receive. */
export interface LinkedTraces {
  /**
   * For results that are judged together: each trace is read once. A malformed id, another project's id, and a trace that
   * cannot be read in time count as missing; the last is logged once.
   */
  open(projectId: string, plan: GradingPlan): LinkTrace;
  /** The parts of a trace that the judges of a plan receive. */
  describe(projectId: string, plan: GradingPlan, trace: JudgedTrace): Promise<LinkedTrace>;
}

export function createLinkedTraces({
  ingest,
  toolSchemas,
  logger,
  traceMs,
}: {
  ingest: Pick<IngestClient, "readTrace">;
  toolSchemas: Pick<ToolSchemaStore, "readDefinitions">;
  logger: Logger;
  /** Longest wait for one trace. */
  traceMs: number;
}): LinkedTraces {
  async function describe(projectId: string, plan: GradingPlan, trace: JudgedTrace): Promise<LinkedTrace> {
    const { trajectory, error, retrieval } = trace;
    const toolDefinitions = wantsDefinitions(plan) ? await readDefinitions(projectId, trajectory) : [];
    return { trajectory: { ...trajectory, toolDefinitions }, error, retrieval };
  }

  /** The project's registered definitions override the trace's definitions of the same tool. */
  async function readDefinitions(
    projectId: string,
    trajectory: Trajectory,
  ): Promise<Trajectory["toolDefinitions"][number][]> {
    const registered = await toolSchemas.readDefinitions(projectId, namesOfUsedTools(trajectory));
    const names = new Set(registered.map(({ name }) => name));
    return [...registered, ...trajectory.toolDefinitions.filter(({ name }) => !names.has(name))];
  }

  return {
    describe,
    open(projectId, plan) {
      const requestId = randomUUID();
      const linked = new Map<string, Promise<LinkedTrace | null>>();
      let isTold = false;

      async function link(traceId: string): Promise<LinkedTrace | null> {
        if (!isUuid(traceId)) return null;
        try {
          return await within(traceMs, async () => {
            const trace = await ingest.readTrace({ projectId, traceId, withContent: false }, requestId);
            return trace && describe(projectId, plan, trace);
          });
        } catch (err) {
          if (!isTold) logger.warn({ err, requestId }, "results are judged without their traces");
          isTold = true;
          return null;
        }
      }

      return (traceId) => {
        const linking = linked.get(traceId) ?? link(traceId);
        linked.set(traceId, linking);
        return linking;
      };
    },
  };
}

/** Only judges with the tool context `detailed` receive definitions (completions 4.2). */
function wantsDefinitions(plan: GradingPlan): boolean {
  return gradersOf(plan).some((grader) => grader.toolContext === "detailed");
}

function namesOfUsedTools({ steps, toolCalls }: Trajectory): string[] {
  const names = [...toolCalls, ...steps.filter(({ kind }) => kind === "tool")].map(({ name }) => name);
  // PostgreSQL text cannot contain NUL, so no such name is registered.
  return [...new Set(names)].filter((name) => !name.includes("\0"));
}

/** The result of `work`, or a timeout error; on a timeout `work` continues without a waiter. */
async function within<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
