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

/** What became of cases that were to be added. */
interface AddedCases {
  added: number;
  /** `index` is the place among those that were sent. */
  duplicates: (DuplicateCase & { index: number })[];
  /** All of the dataset's. */
  caseCount: number;
}

/**
 * Adds cases that a dataset does not have yet, each compared with those before it too. Sources and queries are compared
 * again when the dataset is locked, so two callers never add the same; meanings only before that, as it takes a while.
 * Null when the dataset was deleted meanwhile.
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

/** Which of the cases mean what the dataset, or a case before them, asks already; by their index. */
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
