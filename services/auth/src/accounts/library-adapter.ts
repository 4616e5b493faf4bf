import { type Database, type Queryable, sqlStateOf, type Transaction } from "@touchstone/db";
import { isAppError } from "@touchstone/service-kit";
import type { BetterAuthOptions } from "better-auth";
import { type AdapterFactory, createAdapterFactory, type DBTransactionAdapter } from "better-auth/adapters";
import { APIError } from "better-auth/api";
import { inLateTransaction, type Statements } from "./late-transaction.ts";
import {
  type Condition,
  countRows,
  deleteOneRow,
  deleteRows,
  insertRow,
  markUnverifiedLinks,
  type Row,
  revokeResetLinks,
  selectRows,
  toFields,
  updateRows,
} from "./library-row-store.ts";
import { announceChange, type NewUser } from "./membership-store.ts";

export interface LibraryAdapterOptions {
  database: Database;
  /** Gives a new user a membership, in the transaction that stores the user. */
  placeUser: (transaction: Queryable, user: NewUser) => Promise<void>;
  /** Publishes the committed event at once instead of a moment later. */
  announceRevocations: () => void;
  /** The library answers 500 or 422 if the database is unavailable; this reports the cause to the caller. */
  onUnavailable: (error: Error) => void;
}

/**
 * Runs the accounts library on this service's pool, role, deadlines and errors (decision 23). The library's
 * transactions are kept: an account is never stored without its password or its membership.
 */
export function createLibraryAdapter(options: LibraryAdapterOptions): AdapterFactory<BetterAuthOptions> {
  const { database } = options;
  const pool: Statements = {
    reading: async () => database,
    writing: async () => {
      throw new Error("writes outside of a transaction get one each");
    },
  };
  return (libraryOptions) => buildAdapter(pool, options)(libraryOptions);

  function buildAdapter(statements: Statements, own: LibraryAdapterOptions): AdapterFactory<BetterAuthOptions> {
    return (libraryOptions) =>
      createAdapterFactory<BetterAuthOptions>({
        config: {
          adapterId: "touchstone",
          adapterName: "Touchstone",
          supportsDates: true,
          supportsBooleans: true,
          supportsJSON: false,
          transaction: (work) =>
            inLateTransaction(database, (late) =>
              work(buildAdapter(late, own)(libraryOptions) as DBTransactionAdapter<BetterAuthOptions>),
            ).catch(noteUnavailable),
        },
        adapter: () => ({
          create: async ({ model, data }) =>
            write(async (transaction) => {
              const { rows } = await transaction.query<Row>(insertRow(model, data)).catch(refuseKnownAddress);
              const stored = toFields(rows[0] ?? {});
              if (model === "user") await own.placeUser(transaction, stored as unknown as NewUser);
              // A password is stored in this way by a sign-up, which has no sessions yet, and by a reset.
              const finish = "password" in data ? revokeAccess : markUnverifiedLinks;
              if (model === "account") await finish(transaction, rows);
              return stored as never;
            }),
          findOne: async ({ model, where }) => {
            const [row] = await read(selectRows(model, { conditions: conditionsOf(where), limit: 1 }));
            return (row ?? null) as never;
          },
          findMany: async ({ model, where, limit, sortBy, offset }) =>
            (await read(selectRows(model, { conditions: conditionsOf(where), limit, sortBy, offset }))) as never,
          count: async ({ model, where }) => {
            const [row] = await read(countRows(model, conditionsOf(where)));
            return Number(row?.count ?? 0);
          },
          update: async ({ model, where, update }) => {
            const [row] = await changeRows(model, conditionsOf(where), update as Row, revokeResetLinks);
            return (row ?? null) as never;
          },
          // A password is stored in this way by a reset only.
          updateMany: async ({ model, where, update }) =>
            (await changeRows(model, conditionsOf(where), update, revokeAccess)).length,
          delete: async ({ model, where }) => void (await change(deleteRows(model, conditionsOf(where)))),
          deleteMany: async ({ model, where }) =>
            model === "session"
              ? endSessions(deleteRows(model, conditionsOf(where)))
              : (await change(deleteRows(model, conditionsOf(where)))).length,
          consumeOne: async ({ model, where }) => {
            const [row] = await change(deleteOneRow(model, conditionsOf(where)));
            return (row ?? null) as never;
          },
        }),
      })(libraryOptions);

    async function read(statement: Parameters<Queryable["query"]>[0]): Promise<Row[]> {
      const reading = await statements.reading();
      const { rows } = await reading.query<Row>(statement).catch(noteUnavailable);
      return rows.map(toFields);
    }

    /** After a change or reset of the password. */
    async function endSessions(statement: Parameters<Queryable["query"]>[0]): Promise<number> {
      const count = await write((transaction) => deleteSessions(transaction, statement));
      own.announceRevocations();
      return count;
    }

    function write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
      const written = statements === pool ? database.transaction(work) : statements.writing().then(work);
      return written.catch(noteUnavailable);
    }

    function changeRows(
      model: string,
      conditions: readonly Condition[],
      update: Row,
      onPassword: (transaction: Transaction, accounts: readonly Row[]) => Promise<void>,
    ): Promise<Row[]> {
      return write(async (transaction) => {
        const { rows } = await transaction.query<Row>(updateRows(model, conditions, update));
        if (model === "account" && "password" in update) await onPassword(transaction, rows);
        return rows.map(toFields);
      });
    }

    function change(statement: Parameters<Queryable["query"]>[0]): Promise<Row[]> {
      return write(async (transaction) => (await transaction.query<Row>(statement)).rows.map(toFields));
    }
  }

  function noteUnavailable(thrown: unknown): never {
    if (isAppError(thrown)) options.onUnavailable(thrown);
    throw thrown;
  }
}

/** The transaction also writes the event for gateways, which cache sessions. */
async function deleteSessions(transaction: Transaction, statement: Parameters<Queryable["query"]>[0]): Promise<number> {
  const { rows } = await transaction.query<{ user_id: string }>(statement);
  await announceChange(transaction, [...new Set(rows.map((row) => row.user_id))]);
  return rows.length;
}

/**
 * After a reset of the password, in its transaction: the library deletes the sessions later, and if that failed they
 * would outlive the old password.
 */
async function revokeAccess(transaction: Transaction, accounts: readonly Row[]): Promise<void> {
  await revokeResetLinks(transaction, accounts);
  const users = accounts.map((account) => account.user_id);
  const ofUsers: Condition = { field: "userId", operator: "in", value: users, connector: "AND" };
  await deleteSessions(transaction, deleteRows("session", [ofUsers]));
}

function conditionsOf(where: readonly unknown[] | undefined): readonly Condition[] {
  return (where ?? []) as readonly Condition[];
}

/** Two concurrent sign-ups with one address: the later one gets the error that it would get a moment later. */
function refuseKnownAddress(thrown: unknown): never {
  if (sqlStateOf(thrown) === "23505" && thrown instanceof Error && "constraint" in thrown) {
    if (thrown.constraint === "users_email_key") {
      throw APIError.from("UNPROCESSABLE_ENTITY", {
        code: "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
        message: "User already exists. Use another email.",
      });
    }
  }
  throw thrown;
}
