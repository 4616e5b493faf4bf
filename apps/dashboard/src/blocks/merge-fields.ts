/** The values of a form by the names of its fields. */
export type Fields = Readonly<Record<string, string | boolean>>;

export interface MergedFields<Value extends Fields> {
  /** Fields that only one side changed, from that side; of fields that both changed, mine. */
  merged: Value;
  /** Fields that both changed to different values: the user has to choose. */
  conflicts: (keyof Value & string)[];
  /** Only the others changed these. */
  taken: (keyof Value & string)[];
}

/** Merges two users' changes to the same form. */
export function mergeFields<Value extends Fields>(base: Value, mine: Value, theirs: Value): MergedFields<Value> {
  const names = Object.keys(base) as (keyof Value & string)[];
  const theirOwn = names.filter((name) => theirs[name] !== base[name] && theirs[name] !== mine[name]);
  const taken = theirOwn.filter((name) => mine[name] === base[name]);
  return {
    merged: { ...mine, ...Object.fromEntries(taken.map((name) => [name, theirs[name]])) },
    conflicts: theirOwn.filter((name) => mine[name] !== base[name]),
    taken,
  };
}
