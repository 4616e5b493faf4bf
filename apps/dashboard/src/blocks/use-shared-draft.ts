import { useKeptDraft } from "./kept-draft.ts";
import { type Fields, mergeFields } from "./merge-fields.ts";

/**
 * The draft of something that other users edit, too. It is kept in this browser with what it was begun from (`base`), so a change by
 * another user is noticed: `conflict` then has what is saved now and both sides merged.
 */
export function useSharedDraft<Source, Value extends Fields>({
  name,
  current,
  fieldsOf,
  isSaved,
}: {
  /** Under which name it is kept. */
  name: string;
  /** What is saved now. */
  current: Source;
  fieldsOf(source: Source): Value;
  /** Whether what the draft was begun from is still what is saved. */
  isSaved(base: Source): boolean;
}) {
  const saved = fieldsOf(current);
  const initial = { base: JSON.stringify(current), fields: saved };
  const kept = useKeptDraft(name, initial);
  const begun = JSON.parse(kept.value.base) as Source;
  const typed = { ...saved, ...kept.value.fields };
  const isChanged = JSON.stringify({ ...saved, ...fieldsOf(begun) }) !== JSON.stringify(typed);
  // A form that nothing was typed in follows what is saved.
  const base = isChanged ? begun : current;
  const fields = isChanged ? typed : saved;
  return {
    ...kept,
    base,
    fields,
    isChanged,
    conflict: isSaved(base) ? null : { current, merge: mergeFields(fieldsOf(base), fields, saved) },
    set: (change: Partial<Value>): void => kept.set({ base: JSON.stringify(base), fields: { ...fields, ...change } }),
    /** Goes on from what is saved now. */
    resolve: (resolved: Value): void => kept.set({ base: JSON.stringify(current), fields: resolved }),
  };
}
