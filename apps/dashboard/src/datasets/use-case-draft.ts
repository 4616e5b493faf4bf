import { useSharedDraft } from "../blocks/use-shared-draft.ts";
import { fieldsOf, placeOf } from "./case-fields.ts";
import type { Dataset, Question } from "./queries.ts";

/**
 * The draft of a case, and the case's current position; null: it was changed or deleted. `index` null is a new case.
 */
export function useCaseDraft(projectId: string, dataset: Dataset, index: number | null) {
  const find = (base: Question | null): number | null => placeOf(base, index ?? 0, dataset.questions);
  const draft = useSharedDraft({
    name: `${projectId}.${dataset._id}.case.${index ?? "new"}`,
    current: index === null ? null : (dataset.questions[index] ?? null),
    fieldsOf,
    isSaved: (base) => find(base) !== null,
  });
  return { ...draft, place: find(draft.base) };
}
