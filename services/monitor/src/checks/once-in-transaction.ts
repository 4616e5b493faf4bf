import type { Queryable } from "@touchstone/db";

type ReadIn<Value, Open extends Queryable> = (transaction: Open, projectId: string) => Promise<Value>;

/**
 * Reads what belongs to a project once in a transaction, however often it is asked for there: what plans the checks of
 * many traces asks for each of them. `transaction` is never a pool: it is answered the same as long as it lives.
 */
export function onceInTransaction<Value, Open extends Queryable = Queryable>(
  read: ReadIn<Value, Open>,
): ReadIn<Value, Open> {
  const known = new WeakMap<Queryable, Map<string, Promise<Value>>>();
  return (transaction, projectId) => {
    const ofProjects = known.get(transaction) ?? new Map<string, Promise<Value>>();
    known.set(transaction, ofProjects);
    const value = ofProjects.get(projectId) ?? read(transaction, projectId);
    ofProjects.set(projectId, value);
    return value;
  };
}
