import type { Bus } from "@touchstone/bus";
import { type addedCases, type duplicateCase, limits } from "@touchstone/contracts";
import { type Clock, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import { replaceQuestions } from "./change-cases.ts";
import type { DatasetBook } from "./dataset-book.ts";
import type { DatasetStore, StoredDataset } from "./dataset-store.ts";
import { createKnownCases, type DuplicateCase } from "./known-cases.ts";
import { datasetNotFound, requireDataset } from "./require-dataset.ts";
import { createSimilarQueryFinder, type SimilarQueryFinder } from "./similar-query.ts";
import { identityOf, readSubmittedCases, type SubmittedCase } from "./submitted-case.ts";

/** The outcome of adding cases. */
interface AddedCases {
  added: number;
  /** `index` is the position in the request. */
  duplicates: (DuplicateCase & { index: number })[];
  /** The number of all cases in the dataset. */
  caseCount: number;
}

/**
 * Adds cases that a dataset does not contain yet, comparing each with the earlier ones in the request too. Sources and queries
 * are compared again under the dataset's lock, so two callers never add the same case; meanings only before, because that is
 * slow. Null when the dataset was deleted meanwhile.
 */
async function addToDataset(
  book: DatasetBook,
  scope: { projectId: string; dataset: StoredDataset; addedAt: Date },
  cases: readonly SubmittedCase[],
  similar: SimilarQueryFinder | null,
): Promise<AddedCases | null> {
  const { projectId, dataset, addedAt } = scope;
  const similarOnes = similar === null ? new Map() : await findSimilar(dataset, cases, similar);
  let outcome: AddedCases | null = null;
  await book.update(
    projectId,
    dataset.id,
    (current) => {
      const questions = questionsOf(current.document);
      const known = createKnownCases(questions.map(identityOf));
      const duplicates: AddedCases["duplicates"] = [];
      const added: string[] = [];
      for (const [index, candidate] of cases.entries()) {
        const duplicate = similar === null ? null : (known.find(candidate) ?? similarOnes.get(index) ?? null);
        if (duplicate === null) {
          known.add(candidate);
          added.push(candidate.text);
        } else {
          duplicates.push({ index, ...duplicate });
        }
      }
      outcome = { added: added.length, duplicates, caseCount: questions.length + added.length };
      if (added.length === 0) return current.document;
      return replaceQuestions(current.document, (texts) => [...texts, ...added]);
    },
    addedAt,
  );
  return outcome;
}

/** The cases that mean the same as an existing or earlier case, by index. */
async function findSimilar(
  dataset: StoredDataset,
  cases: readonly SubmittedCase[],
  similar: SimilarQueryFinder,
): Promise<Map<number, DuplicateCase>> {
  const known = createKnownCases(questionsOf(dataset.document).map(identityOf));
  const found = new Map<number, DuplicateCase>();
  for (const [index, candidate] of cases.entries()) {
    if (known.find(candidate) !== null) continue;
    const match = await similar.find(candidate.query, known.newestQueries(limits.comparedCasesMax));
    if (match === null) known.add(candidate);
    else found.set(index, { reason: "similar-query", existingQuery: match.query, similarity: match.similarity });
  }
  return found;
}

function questionsOf(document: string): { main_question: { query: string }; source?: unknown }[] {
  return JSON.parse(document).questions;
}

/**
 * POST /custom-agent-evaluations/datasets/{datasetId}/cases (completions 3.3): one case or several. A single duplicate is 409;
 * duplicates among several are reported and the others added.
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

/** The dataset's embedding model; null if it names none. */
function embeddingModelOf(document: string): string | null {
  return JSON.parse(document).vectorSimilarity?.model ?? null;
}
