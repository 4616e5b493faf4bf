import type { Database, Queryable, Transaction } from "@touchstone/db";

/** Executes the statements of one unit of work. */
export interface Statements {
  /** For reading: the pool or, after the first write, that write's transaction. */
  reading(): Promise<Queryable>;
  /** For writing: one transaction, begun on the first call. */
  writing(): Promise<Transaction>;
}

/**
 * Runs work whose writes are one transaction, committed when it resolves and rolled back when it throws. The connection
 * is acquired at the first write: earlier steps, such as hashing a password, hold none.
 */
export async function inLateTransaction<Result>(
  database: Database,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  const outcome = Promise.withResolvers<void>();
  outcome.promise.catch(() => undefined);
  let begun: { transaction: Promise<Transaction>; ended: Promise<void> } | null = null;

  function begin(): Promise<Transaction> {
    if (begun === null) {
      const { promise, resolve, reject } = Promise.withResolvers<Transaction>();
      const ended = database.transaction(async (transaction) => {
        resolve(transaction);
        await outcome.promise;
      });
      ended.catch(reject);
      promise.catch(() => undefined);
      begun = { transaction: promise, ended };
    }
    return begun.transaction;
  }

  const statements: Statements = {
    reading: async () => begun?.transaction ?? database,
    writing: begin,
  };
  // TypeScript does not see that the calls above change it.
  const settled = (): Promise<void> => (begun as { ended: Promise<void> } | null)?.ended ?? Promise.resolve();
  let result: Result;
  try {
    result = await work(statements);
  } catch (thrown) {
    outcome.reject(thrown);
    await settled().catch(() => undefined);
    throw thrown;
  }
  outcome.resolve();
  await settled();
  return result;
}
