import { useKeptDraft } from "./kept-draft.ts";
import { type Fields, mergeFields } from "./merge-fields.ts";

/**
 * The draft of an object that other users may edit at the same time. This browser stores it with its starting point (`base`) to
 * detect their changes: `conflict` then contains the saved state and both sides merged.
 */
export function useSharedDraft<Source, Value extends Fields>({
  name,
  current,
  fieldsOf,
  isSaved,
}: {
  /** The name under which the draft is stored. */
  name: string;
  /** The saved state. */
  current: Source;
  fieldsOf(source: Source): Value;
  /** Compares the draft's starting point with the saved state. */
  isSaved(base: Source): boolean;
}) {
  const saved = fieldsOf(current);
  const initial = { base: JSON.stringify(current), fields: saved };
  const kept = useKeptDraft(name, initial);
  const begun = JSON.parse(kept.value.base) as Source;
  const typed = { ...saved, ...kept.value.fields };
  const isChanged = JSON.stringify({ ...saved, ...fieldsOf(begun) }) !== JSON.stringify(typed);
  // An untouched form follows the saved state.
  const base = isChanged ? begun : current;
  const fields = isChanged ? typed : saved;
  return {
    ...kept,
    base,
    fields,
    isChanged,
    conflict: isSaved(base) ? null : { current, merge: mergeFields(fieldsOf(base), fields, saved) },
    set: (change: Partial<Value>): void => kept.set({ base: JSON.stringify(base), fields: { ...fields, ...change } }),
    /** Continues from the saved state. */
    resolve: (resolved: Value): void => kept.set({ base: JSON.stringify(current), fields: resolved }),
  };
}
