import type { Bus } from "@touchstone/bus";
import { internalRoutes, routes } from "@touchstone/contracts";
import type { CloseProjects } from "@touchstone/db";
import { type Clock, closeProjects, type Logger, type ServedRoute } from "@touchstone/service-kit";
import type { AnalysisStore } from "./analyses/analysis-store.ts";
import { analysisRoutes } from "./analyses/routes.ts";
import { refuseCiRun } from "./ci-runs/ci-request.ts";
import type { CiRunStore } from "./ci-runs/ci-run-store.ts";
import { ciRunRoutes } from "./ci-runs/routes.ts";
import { createDatasetBook } from "./datasets/dataset-change-store.ts";
import type { DatasetStore } from "./datasets/dataset-store.ts";
import { createDatasetSummaryStore } from "./datasets/dataset-summary-store.ts";
import type { WorkOnDataset } from "./datasets/dataset-work.ts";
import { itemRoutes } from "./datasets/item-routes.ts";
import type { NamedDatasetStore } from "./datasets/named-dataset-store.ts";
import { datasetRoutes } from "./datasets/routes.ts";
import type { ExportStore } from "./export/exported-table-reader.ts";
import { exportRoutes } from "./export/routes.ts";
import type { KeepItem } from "./external-runs/keep-run-item.ts";
import { externalRunRoutes } from "./external-runs/routes.ts";
import { createRunLists } from "./external-runs/run-list-reader.ts";
import type { GateStore } from "./gates/gate-store.ts";
import { gateRoutes } from "./gates/routes.ts";
import type { ConfigStore } from "./graders/config-store.ts";
import type { GroupStore } from "./graders/group-store.ts";
import type { LockGraders } from "./graders/lock-graders.ts";
import { createMemberReader } from "./graders/member-reader.ts";
import { graderRoutes } from "./graders/routes.ts";
import type { IngestClient } from "./ingest-client.ts";
import type { LinkedTraces } from "./judging/linked-traces.ts";
import type { PromptStore } from "./registries/prompt-store.ts";
import { promptRoutes } from "./registries/prompts-routes.ts";
import type { ToolSchemaStore } from "./registries/tool-schema-store.ts";
import { toolSchemaRoutes } from "./registries/tool-schemas-routes.ts";
import type { RescoringStore } from "./rescoring/rescoring-store.ts";
import { rescoringRoutes } from "./rescoring/routes.ts";
import type { AwaitedOutputs } from "./results/awaited-outputs.ts";
import type { BatchScorer } from "./results/batch-scorer.ts";
import type { RatingNews } from "./results/rating-news-store.ts";
import type { ResultStore } from "./results/result-store.ts";
import type { StoredResult } from "./results/stored-result.ts";
import { createDatasetNames } from "./runs/dataset-name-reader.ts";
import type { FinalizingDependencies } from "./runs/finalize-run.ts";
import type { Gradings } from "./runs/gradings.ts";
import { runRoutes } from "./runs/routes.ts";
import type { RunStreams } from "./runs/run-streams.ts";
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
  awaited: AwaitedOutputs;
  timings: Timings;
  logger: Logger;
  scorer: BatchScorer;
  exports: ExportStore;
  clock: Clock;
  work: WorkOnDataset;
  named: NamedDatasetStore;
  keep: KeepItem;
  closing: CloseProjects;
}

/** Every route of this service, with its dependencies. */
export function evalRunsRoutes(dependencies: RouteDependencies): ServedRoute[] {
  const { datasets, runs, results, ciRuns, gates, gradings, configs, groups } = dependencies;
  const { prompts, toolSchemas, ingest, clock, database, signal, exports, bus, logger, timings, lockGraders, awaited } =
    dependencies;
  const members = createMemberReader(bus);
  const names = createDatasetNames(database);
  const { work, named } = dependencies;
  const book = createDatasetBook(database, work);
  return [
    { route: internalRoutes.closeEvalRunsProjects, handle: closeProjects(dependencies.closing) },
    ...itemRoutes({ named, book, work, clock }),
    ...externalRunRoutes({ ...dependencies, lists: createRunLists(database) }),
    ...datasetRoutes({
      ...dependencies,
      book,
      summaries: createDatasetSummaryStore(database, work),
    }),
    ...runRoutes({
      ...dependencies,
      members,
      names,
      variants: { bus, logger, signal, variantsMs: timings.variantsMs },
      refuseCiRun: (projectId, runId) => refuseCiRun(ciRuns, projectId, runId),
      // Clients may give other runs this source, too.
      isCiRun: async (projectId, { id, runSource }) => runSource === "ci" && (await ciRuns.exists(projectId, id)),
    }),
    ...rescoringRoutes({ ...dependencies, members }),
    {
      route: routes.evaluateTrace,
      handle: evaluateTrace({ ...dependencies, evaluator: createTraceEvaluator(dependencies) }),
    },
    ...graderRoutes({ lockGraders, configs, groups, members, clock }),
    ...analysisRoutes(dependencies),
    ...ciRunRoutes(dependencies),
    ...gateRoutes({ database, runs, gates, gradings, clock, datasets, results, names, ingest, awaited }),
    ...promptRoutes({ prompts, clock }),
    ...toolSchemaRoutes({ toolSchemas, clock }),
    ...exportRoutes({ exports, awaited }),
  ];
}
