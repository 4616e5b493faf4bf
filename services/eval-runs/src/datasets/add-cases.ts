import { limits } from "@touchstone/contracts";
import { replaceQuestions } from "./change-cases.ts";
import type { DatasetBook } from "./dataset-book.ts";
import type { StoredDataset } from "./dataset-store.ts";
import { createKnownCases, type DuplicateCase } from "./known-cases.ts";
import type { SimilarQueryFinder } from "./similar-query.ts";
import { identityOf, type SubmittedCase } from "./submitted-case.ts";

/** What became of cases that were to be added. */
export interface AddedCases {
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
export async function addCases(
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
