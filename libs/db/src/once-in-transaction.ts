import type { Queryable } from "./database.ts";

type ReadIn<Value, Open extends Queryable, Keys extends readonly string[]> = (
  transaction: Open,
  ...keys: Keys
) => Promise<Value>;

/**
 * Reads what belongs to a project, or to an agent of one, once in a transaction, however often it is asked for there: what
 * plans the checks of many traces asks for each of them. `transaction` is never a pool: it is answered the same as long
 * as it lives.
 */
export function onceInTransaction<
  Value,
  Open extends Queryable = Queryable,
  Keys extends readonly string[] = [projectId: string],
>(read: ReadIn<Value, Open, Keys>): ReadIn<Value, Open, Keys> {
  const known = new WeakMap<Queryable, Map<string, Promise<Value>>>();
  return (transaction, ...keys) => {
    const values = known.get(transaction) ?? new Map<string, Promise<Value>>();
    known.set(transaction, values);
    const key = keys.join(" ");
    const value = values.get(key) ?? read(transaction, ...keys);
    values.set(key, value);
    return value;
  };
}
