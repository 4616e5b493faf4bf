import type { datasetTestCases } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import { requireCiDataset } from "../../ci-runs/require-ci-dataset.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import type { Gradings } from "../../runs/gradings.ts";

/** GET /ingest/datasets/{datasetId}/test-cases (completions 8.5). */
export function listTestCases({
  datasets,
  gradings,
}: {
  datasets: DatasetStore;
  gradings: Pick<Gradings, "ofDataset">;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { dataset, settings } = await requireCiDataset(datasets, projectId, call.params.datasetId ?? "");
    const { cases } = await gradings.ofDataset(projectId, dataset.id, dataset.version);
    const { name } = JSON.parse(dataset.document) as { name: string };
    const reply: z.input<typeof datasetTestCases> = {
      dataset_id: dataset.id,
      name,
      total_questions: cases.length,
      test_cases: cases.map(({ query }, index) => ({ index, query: settings.exposesInputs ? query : null })),
      ci: { enabled: true, pass_rate_threshold: settings.passRateThreshold },
    };
    return { status: 200, body: reply };
  };
}
