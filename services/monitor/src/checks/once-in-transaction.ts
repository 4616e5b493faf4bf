import type { Queryable } from "@touchstone/db";

type ReadIn<Value> = (transaction: Queryable, projectId: string) => Promise<Value>;

/**
 * Reads what belongs to a project once in a transaction, however often it is asked for there: what plans the checks of
 * many traces asks for each of them. `transaction` is never a pool: it is answered the same as long as it lives.
 */
export function onceInTransaction<Value>(read: ReadIn<Value>): ReadIn<Value> {
  const known = new WeakMap<Queryable, Map<string, Promise<Value>>>();
  return (transaction, projectId) => {
    const ofProjects = known.get(transaction) ?? new Map<string, Promise<Value>>();
    known.set(transaction, ofProjects);
    const value = ofProjects.get(projectId) ?? read(transaction, projectId);
    ofProjects.set(projectId, value);
    return value;
  };
}
