import type { Bus } from "@touchstone/bus";
import type { addedCases, duplicateCase } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { readJsonObject, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import { addCases as addToDataset } from "../../datasets/add-cases.ts";
import type { DatasetBook } from "../../datasets/dataset-book.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import { datasetNotFound, requireDataset } from "../../datasets/require-dataset.ts";
import { createSimilarQueryFinder } from "../../datasets/similar-query.ts";
import { readSubmittedCases } from "../../datasets/submitted-case.ts";

/**
 * POST /custom-agent-evaluations/datasets/{datasetId}/cases (completions 3.3): one case, or several. A single duplicate is
 * 409; of several they are told and the others added.
 */
export function addCases({
  datasets,
  book,
  bus,
  clock,
}: {
  datasets: DatasetStore;
  book: DatasetBook;
  bus: Bus;
  clock: Clock;
}): Handler {
  return async (call) => {
    const addedAt = new Date(clock.now());
    const { cases, isBulk, dedupe } = readSubmittedCases(await readJsonObject(call), addedAt);
    const dataset = await requireDataset(datasets, call);
    const projectId = requireProject(call);
    const similar = dedupe
      ? createSimilarQueryFinder(bus, {
          projectId,
          organizationId: call.identity.organizationId,
          model: embeddingModelOf(dataset.document),
          signal: call.signal,
        })
      : null;

    const outcome = await addToDataset(book, { projectId, dataset, addedAt }, cases, similar);

    const { added, duplicates, caseCount } = outcome ?? datasetNotFound();
    const [first] = duplicates;
    if (!isBulk && first !== undefined) {
      const { index: _only, ...duplicate } = first;
      const refusal: z.input<typeof duplicateCase> = { error: "Duplicate case", duplicate };
      return { status: 409, body: refusal };
    }
    const reply: z.input<typeof addedCases> = { ok: true, ...(isBulk && { added, duplicates }), caseCount };
    return { status: 201, body: reply };
  };
}

/** What the dataset compares answers with, if it says. */
function embeddingModelOf(document: string): string | null {
  return JSON.parse(document).vectorSimilarity?.model ?? null;
}
