import type { Bus, Consuming } from "@touchstone/bus";
import { type ExperimentItem, experimentItemsRecorded } from "@touchstone/contracts";
import { experimentRunId, isProjectDeleted } from "@touchstone/service-kit";
import type { NamedDatasetStore } from "../datasets/named-dataset-store.ts";
import { findDatasetOf, type KeepItem, NameTaken } from "./keep-run-item.ts";
import type { NamedRunStore, RunName } from "./named-run-store.ts";

interface ExperimentDependencies {
  keep: KeepItem;
  store: Pick<NamedRunStore, "find" | "findById">;
  named: Pick<NamedDatasetStore, "findCaseId">;
}

/** Consumes `event.experiment-item.recorded.v1`: makes the runs of clients that send only the spans of an experiment (dropin 1.6). */
export function consumeExperimentItems(bus: Bus, dependencies: ExperimentDependencies): Promise<Consuming> {
  return bus.consume(experimentItemsRecorded, { durable: "eval-runs-experiment-item-recorded" }, async ({ items }) => {
    const kept = await Promise.allSettled(items.map((item) => keepExperimentItem(dependencies, item)));
    const failed = kept.find((one) => one.status === "rejected" && !isProjectDeleted(one.reason));
    if (failed?.status === "rejected") throw failed.reason;
  });
}

async function keepExperimentItem({ keep, store, named }: ExperimentDependencies, item: ExperimentItem): Promise<void> {
  const { projectId, caseId, description, metadata, otelTraceId, otelSpanId, createdAt } = item;
  const datasetId = await findDatasetOf(named, projectId, caseId);
  // The case was deleted, or it is none of this project.
  if (datasetId === null) return;
  const ids = { traceId: otelTraceId, observationId: otelSpanId };
  const otel = { traceId: otelTraceId, spanId: otelSpanId };
  const described = description === null ? {} : { description };
  for (let attempt = 1; ; attempt += 1) {
    const run = await nameRun(store, { projectId, datasetId, name: item.runName }, item.experimentId);
    if (run === null) return;
    const sent = { runName: run.name, caseId, ...ids, otel, createdAt, ...described };
    try {
      await keep({ ...run, sent, metadata: metadata ?? undefined });
      return;
    } catch (thrown) {
      if (!(thrown instanceof NameTaken) || attempt === attemptsMax) throw thrown;
    }
  }
}

/** Another run may take the name that was free a moment before. */
const attemptsMax = 3;

/**
 * The run that an experiment is: the one of its id, under whatever name, else a new one. A name that another run of the dataset has gets
 * the experiment's id behind it. An experiment over several datasets is a run in each; the first one has the id, and the
 * others have ids that follow from the experiment's and the dataset's. Null: the run was deleted.
 */
async function nameRun(
  store: ExperimentDependencies["store"],
  wished: RunName,
  experimentId: string,
): Promise<(RunName & { runId: string }) | null> {
  const { projectId, datasetId } = wished;
  const firstId = experimentRunId(projectId, experimentId);
  const first = await store.findById(projectId, firstId);
  const furtherId = experimentRunId(projectId, `${experimentId}\0${datasetId}`);
  const isFirst = first?.datasetId === datasetId;
  const known = isFirst ? first : await store.findById(projectId, furtherId);
  const runId = isFirst || (first === null && known === null) ? firstId : furtherId;
  if (known !== null) return known.name === null ? null : { ...wished, name: known.name, runId };
  const other = await store.find(wished);
  if (other === null || other.id === runId) return { ...wished, runId };
  return { ...wished, name: `${wished.name} (${experimentId})`, runId };
}
