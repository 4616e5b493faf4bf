import type { Bus } from "@touchstone/bus";
import { internalRoutes, routes } from "@touchstone/contracts";
import type { CloseProjects } from "@touchstone/db";
import { type Clock, closeProjects, type Logger, type ServedRoute } from "@touchstone/service-kit";
import type { AnalysisStore } from "./analyses/analysis-store.ts";
import { analysisRoutes } from "./analyses/routes.ts";
import type { CiRunStore } from "./ci-runs/ci-run-store.ts";
import { ciRunRoutes } from "./ci-runs/routes.ts";
import { createDatasetBook } from "./datasets/dataset-book.ts";
import type { DatasetStore } from "./datasets/dataset-store.ts";
import { createDatasetSummaryStore } from "./datasets/dataset-summary-store.ts";
import { datasetRoutes } from "./datasets/routes.ts";
import type { ExportStore } from "./export/export-store.ts";
import { exportRoutes } from "./export/routes.ts";
import type { GateStore } from "./gates/gate-store.ts";
import { gateRoutes } from "./gates/routes.ts";
import type { ConfigStore } from "./graders/config-store.ts";
import type { GroupStore } from "./graders/group-store.ts";
import type { LockGraders } from "./graders/lock-graders.ts";
import { createMemberReader } from "./graders/member-reader.ts";
import { graderRoutes } from "./graders/routes.ts";
import { deleteRun } from "./http/runs/delete-run.ts";
import { finalizeRun } from "./http/runs/finalize-run.ts";
import { getRun } from "./http/runs/get-run.ts";
import { listMissingResults } from "./http/runs/list-missing-results.ts";
import { rescoreRun } from "./http/runs/rescore-run.ts";
import { streamRun } from "./http/runs/stream-run.ts";
import type { IngestClient } from "./ingest-client.ts";
import type { LinkedTraces } from "./judging/linked-traces.ts";
import type { PromptStore } from "./registries/prompt-store.ts";
import { promptRoutes } from "./registries/prompts-routes.ts";
import type { ToolSchemaStore } from "./registries/tool-schema-store.ts";
import { toolSchemaRoutes } from "./registries/tool-schemas-routes.ts";
import type { RescoringStore } from "./rescoring/rescoring-store.ts";
import type { BatchScorer } from "./results/batch-scorer.ts";
import type { RatingNews } from "./results/rating-news.ts";
import type { ResultStore } from "./results/result-store.ts";
import type { StoredResult } from "./results/stored-result.ts";
import { createRun } from "./runs/create-run.ts";
import { createDatasetNames } from "./runs/dataset-names.ts";
import type { FinalizingDependencies } from "./runs/finalize-run.ts";
import type { Gradings } from "./runs/gradings.ts";
import { createKnownIntervals } from "./runs/known-intervals.ts";
import { listResults } from "./runs/list-results.ts";
import { listRuns } from "./runs/list-runs.ts";
import type { RunStreams } from "./runs/run-streams.ts";
import { createRunShower } from "./runs/show-runs.ts";
import { submitResults } from "./runs/submit-results.ts";
import type { Timings } from "./timings.ts";
import { evaluateTrace } from "./trace-evaluation/evaluate-trace.ts";
import { createTraceEvaluator } from "./trace-evaluation/trace-evaluator.ts";

export interface RouteDependencies extends FinalizingDependencies {
  datasets: DatasetStore;
  results: ResultStore;
  gradings: Gradings;
  configs: ConfigStore;
  groups: GroupStore;
  lockGraders: LockGraders;
  gates: GateStore;
  ciRuns: CiRunStore;
  prompts: PromptStore;
  toolSchemas: ToolSchemaStore;
  analyses: AnalysisStore;
  rescorings: RescoringStore;
  runStreams: RunStreams;
  onStored: (result: StoredResult) => void;
  bus: Bus;
  ingest: IngestClient;
  linkedTraces: LinkedTraces;
  ratingNews: RatingNews;
  timings: Timings;
  logger: Logger;
  scorer: BatchScorer;
  exports: ExportStore;
  clock: Clock;
  closing: CloseProjects;
}

/** Every route this service answers, with what each one needs. */
export function evalRunsRoutes(dependencies: RouteDependencies): ServedRoute[] {
  const { datasets, runs, results, ciRuns, gates, gradings, configs, groups } = dependencies;
  const { prompts, toolSchemas, scorer, clock, database, batchMs, signal, exports } = dependencies;
  const { bus, logger, timings, lockGraders } = dependencies;
  const members = createMemberReader(bus);
  const intervals = createKnownIntervals();
  const names = createDatasetNames(database);
  const shower = createRunShower({ names, gradings });
  const variants = { bus, logger, signal, variantsMs: timings.variantsMs };
  return [
    ...datasetRoutes({
      ...dependencies,
      book: createDatasetBook(database),
      summaries: createDatasetSummaryStore(database),
    }),
    {
      route: routes.createRun,
      handle: createRun({ datasets, runs, gradings, configs, groups, members, clock, variants }),
    },
    { route: internalRoutes.closeEvalRunsProjects, handle: closeProjects(dependencies.closing) },
    {
      route: routes.listRuns,
      handle: listRuns({ database, runs, results, shower, intervals }),
    },
    { route: routes.listMissingResults, handle: listMissingResults({ runs, results, gradings }) },
    { route: routes.rescoreRun, handle: rescoreRun(dependencies) },
    { route: routes.streamRun, handle: streamRun({ runs, runStreams: dependencies.runStreams }) },
    { route: routes.deleteRun, handle: deleteRun({ runs }) },
    { route: routes.getRun, handle: getRun({ database, runs, results, shower, intervals }) },
    { route: routes.listResults, handle: listResults({ runs, results, gradings }) },
    { route: routes.submitResults, handle: submitResults({ runs, results, gradings, groups, ciRuns, scorer }) },
    { route: routes.finalizeRun, handle: finalizeRun({ runs, results, ciRuns, database, batchMs, signal }) },
    {
      route: routes.evaluateTrace,
      handle: evaluateTrace({ ...dependencies, evaluator: createTraceEvaluator(dependencies) }),
    },
    ...graderRoutes({ lockGraders, configs, groups, members, clock }),
    ...analysisRoutes(dependencies),
    ...ciRunRoutes(dependencies),
    ...gateRoutes({ database, runs, gates, gradings, clock, datasets, results, names }),
    ...promptRoutes({ prompts, clock }),
    ...toolSchemaRoutes({ toolSchemas, clock }),
    ...exportRoutes({ exports }),
  ];
}
