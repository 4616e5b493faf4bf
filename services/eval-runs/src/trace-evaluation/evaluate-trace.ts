import { type evaluateTraceReply, isUuid, routes } from "@touchstone/contracts";
import {
  AppError,
  type Handler,
  parseBody,
  readJsonObject,
  requireProject,
  requireWorkspace,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import { whileVersionsChange } from "../datasets/version-gone.ts";
import type { ConfigStore } from "../graders/config-store.ts";
import { planOfDataset } from "../grading/plan.ts";
import type { IngestClient } from "../ingest-client.ts";
import type { Gradings } from "../runs/gradings.ts";
import type { TraceEvaluator, TraceGrading } from "./trace-evaluator.ts";

interface EvaluationDependencies {
  ingest: Pick<IngestClient, "readTrace">;
  datasets: Pick<DatasetStore, "findVersion">;
  configs: Pick<ConfigStore, "readDocuments">;
  gradings: Pick<Gradings, "ofDataset">;
  evaluator: TraceEvaluator;
}

/**
 * POST /ingest/traces/{traceId}/evaluate (completions 2.8): grades a recorded trace. Not idempotent: each call judges it again,
 * as a separate run.
 */
export function evaluateTrace({ ingest, evaluator, ...stores }: EvaluationDependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { traceId = "" } = call.params;
    const { datasetId, workspaceId } = parseBody((await readJsonObject(call)).value, routes.evaluateTrace.body);
    requireWorkspace(call, workspaceId);
    const { organizationId, requestId } = call.identity;
    const query = { projectId, traceId, withContent: true };
    const trace = isUuid(traceId) ? await ingest.readTrace(query, requestId) : null;
    if (trace === null) throw new AppError("not_found", "Trace not found");
    const { runId, row } = await whileVersionsChange(async () => {
      const grading = isUuid(datasetId) ? await findGrading(stores, projectId, datasetId) : null;
      if (grading === null) throw new AppError("not_found", "Dataset or evaluator config not found");
      return evaluator.evaluate({ projectId, organizationId, trace, grading });
    });
    const reply: z.input<typeof evaluateTraceReply> = {
      run_id: runId,
      trace_id: trace.traceId,
      rating: row.rating,
      justification: row.justification,
      status: "completed",
    };
    return { status: 200, body: reply };
  };
}

/** A config with this id takes precedence over a dataset. */
async function findGrading(
  { configs, datasets, gradings }: Pick<EvaluationDependencies, "configs" | "datasets" | "gradings">,
  projectId: string,
  id: string,
): Promise<TraceGrading | null> {
  const [config] = await configs.readDocuments(projectId, [id]);
  if (config !== undefined) {
    return { datasetId: id, datasetVersion: null, evaluationSettingsId: id, plan: planOfDataset(config) };
  }
  const datasetVersion = await datasets.findVersion(projectId, id);
  if (datasetVersion === null) return null;
  const { plan } = await gradings.ofDataset(projectId, id, datasetVersion);
  return { datasetId: id, datasetVersion, evaluationSettingsId: null, plan };
}
