interface Bound {
  keys: string;
  label: string;
}

interface Group<Shortcut extends Bound> {
  group: string;
  shortcuts: readonly Shortcut[];
}

/**
 * The bound keys by group, in the order of each group's first binding. A key with several bindings is listed with the last one,
 * which is active.
 */
export function sheetGroups<Shortcut extends Bound>(entries: readonly Group<Shortcut>[]): Group<Shortcut>[] {
  const acting = new Map(entries.flatMap(({ shortcuts }) => shortcuts.map((shortcut) => [shortcut.keys, shortcut])));
  const groups = new Map<string, Shortcut[]>();
  for (const { group, shortcuts } of entries) {
    const shown = shortcuts.filter((shortcut) => acting.get(shortcut.keys) === shortcut);
    groups.set(group, [...(groups.get(group) ?? []), ...shown]);
  }
  return [...groups].filter(([, shown]) => shown.length > 0).map(([group, shortcuts]) => ({ group, shortcuts }));
}
