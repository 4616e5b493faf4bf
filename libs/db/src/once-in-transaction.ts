import type { Queryable } from "./database.ts";

type ReadIn<Value, Open extends Queryable, Keys extends readonly string[]> = (
  transaction: Open,
  ...keys: Keys
) => Promise<Value>;

/**
 * Reads a value of a project, or of one of its agents, once per transaction, however often it is requested: planning
 * the checks of many traces requests it for each of them. `transaction` is never a pool: the value is cached for its
 * lifetime.
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
