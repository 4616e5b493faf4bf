import type { Bus } from "@touchstone/bus";
import { type addedCases, type duplicateCase, limits } from "@touchstone/contracts";
import { type Clock, type Handler, readJsonBytes, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { DatasetBook } from "./dataset-change-store.ts";
import type { DatasetStore } from "./dataset-store.ts";
import type { WorkOnDataset } from "./dataset-work.ts";
import type { ComparedCases } from "./dataset-work-thread.ts";
import { createKnownCases, type DuplicateCase } from "./known-cases.ts";
import { datasetNotFound, requireDataset } from "./require-dataset.ts";
import { createSimilarQueryFinder, type SimilarQueryFinder } from "./similar-query.ts";
import type { SubmittedCase } from "./submitted-case.ts";

/** The cases that mean the same as an existing or earlier case, by index. */
async function findSimilar(
  { isKnown, newestQueries }: ComparedCases,
  cases: readonly SubmittedCase[],
  similar: SimilarQueryFinder,
): Promise<Map<number, DuplicateCase>> {
  const known = createKnownCases(newestQueries.map((query) => ({ query, source: null })));
  const found = new Map<number, DuplicateCase>();
  for (const [index, candidate] of cases.entries()) {
    if (isKnown[index] || known.find(candidate) !== null) continue;
    const match = await similar.find(candidate.query, known.newestQueries(limits.comparedCasesMax));
    if (match === null) known.add(candidate);
    else found.set(index, { reason: "similar-query", existingQuery: match.query, similarity: match.similarity });
  }
  return found;
}

/**
 * POST /custom-agent-evaluations/datasets/{datasetId}/cases (completions 3.3): one case or several. A single duplicate is 409;
 * duplicates among several are reported and the others added. Each is compared with the earlier ones in the request too: sources
 * and queries again under the dataset's lock, so two callers never add the same case; meanings only before, because that is slow.
 */
export function addCases({
  datasets,
  book,
  work,
  bus,
  clock,
}: {
  datasets: DatasetStore;
  book: DatasetBook;
  work: WorkOnDataset;
  bus: Bus;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const addedAt = new Date(clock.now());
    const body = await readJsonBytes(call);
    const size = body.length;
    const { cases, isBulk, dedupe } = await work("readCases", { body, addedAt }, { projectId, size });
    const { id, document } = await requireDataset(datasets, call);
    let similar: Map<number, DuplicateCase> | null = null;
    if (dedupe) {
      const compared = await work("compareCases", { document, cases }, { projectId, size: size + document.length });
      const { organizationId } = call.identity;
      const finder = createSimilarQueryFinder(bus, {
        projectId,
        organizationId,
        model: compared.model,
        signal: call.signal,
      });
      similar = await findSimilar(compared, cases, finder);
    }

    const edit = { name: "addCases", input: { cases, similar } } as const;
    const updated = await book.update(projectId, id, edit, addedAt, { size });
    const { added, duplicates, caseCount } = (updated ?? datasetNotFound()).outcome;
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
