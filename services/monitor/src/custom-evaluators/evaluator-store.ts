import { limits } from "@touchstone/contracts";
import type { Database, ListQuery, Queryable, Statement } from "@touchstone/db";
import { type Act, AppError, type ListPage, namesOfChanged, uuidv7 } from "@touchstone/service-kit";
import { putFitting, readChoices } from "../lists/choice-store.ts";
import { readDocuments, readNamedDocuments } from "../lists/document-reader.ts";
import { recordAuditEvent } from "../outbox.ts";
import type { EvaluatorChoice, EvaluatorDocument, StoredEvaluator } from "./evaluator.ts";

/** Stores a project's custom scorers (completions 4.5). Every change is recorded in the audit log. */
export interface EvaluatorStore {
  /** A page, oldest first. */
  list(projectId: string, query: ListQuery): Promise<ListPage<StoredEvaluator>>;
  /** Those of the ids that there are, in parts of bounded size. */
  findInParts(projectId: string, ids: readonly string[]): AsyncIterable<StoredEvaluator[]>;
  find(projectId: string, id: string): Promise<StoredEvaluator | null>;
  /** Throws `bad_request` when the project has the maximum number, or its enabled ones the maximum size. */
  create(projectId: string, document: EvaluatorDocument, now: Date, act: Act): Promise<StoredEvaluator>;
  /** Changes one under a lock. Null when there is none. Throws `bad_request` when the enabled ones become too large. */
  update(
    projectId: string,
    id: string,
    change: { now: Date; compose: (stored: EvaluatorDocument) => EvaluatorDocument; act: Act },
  ): Promise<StoredEvaluator | null>;
  /** False when there is none. */
  delete(projectId: string, id: string, act: Act): Promise<boolean>;
}

export function createEvaluatorStore(database: Database): EvaluatorStore {
  return {
    async list(projectId, query) {
      const page = await readDocuments<EvaluatorRow>(database, projectId, query, table);
      return { ...page, rows: page.rows.map(readRow) };
    },

    async *findInParts(projectId, ids) {
      for await (const rows of readNamedDocuments<EvaluatorRow>(database, projectId, ids, table))
        yield rows.map(readRow);
    },

    async find(projectId, id) {
      const { rows } = await database.readScoped<EvaluatorRow>([projectId], selectOne(projectId, id));
      return rows.map(readRow)[0] ?? null;
    },

    create: (projectId, document, now, act) =>
      database.scoped([projectId], async (transaction) => {
        await lock(transaction, projectId);
        if ((await countIn(transaction, projectId)) >= limits.customEvaluatorsMax) {
          throw new AppError("bad_request", `A project has at most ${limits.customEvaluatorsMax} custom evaluators`);
        }
        const evaluator = { id: uuidv7(now.getTime()), document, createdAt: now, updatedAt: now };
        await put(transaction, projectId, evaluator);
        const details = { name: document.name, kind: document.kind, enabled: document.enabled };
        await recordAuditEvent(transaction, act, {
          action: "custom-evaluator.created",
          targetId: evaluator.id,
          details,
        });
        return evaluator;
      }),

    update: (projectId, id, { now, compose, act }) =>
      database.scoped([projectId], async (transaction) => {
        await lock(transaction, projectId);
        const stored = (await transaction.query<EvaluatorRow>(selectOne(projectId, id))).rows.map(readRow)[0];
        if (stored === undefined) return null;
        const document = compose(stored.document);
        const evaluator = { ...stored, document, updatedAt: now };
        await put(transaction, projectId, evaluator);
        const changed = namesOfChanged(stored.document, document);
        if (changed !== "") {
          const details = { name: document.name, changed, enabled: document.enabled };
          await recordAuditEvent(transaction, act, { action: "custom-evaluator.changed", targetId: id, details });
        }
        return evaluator;
      }),

    delete: (projectId, id, act) =>
      database.scoped([projectId], async (transaction) => {
        // A change that overlaps would store the scorer again.
        await lock(transaction, projectId);
        const { rows } = await transaction.query<{ name: string }>({
          name: "custom_evaluator_delete",
          text: `
            delete from monitor.custom_evaluators
            where project_id = $1
              and id = $2
            returning document ->> 'name' as name`,
          values: [projectId, id],
        });
        const [deleted] = rows;
        if (deleted === undefined) return false;
        await recordAuditEvent(transaction, act, {
          action: "custom-evaluator.deleted",
          targetId: id,
          details: deleted,
        });
        return true;
      }),
  };
}

/** What decides about each of a project's scorers whether a trace is due it, within a transaction. */
export const listChoicesIn = (transaction: Queryable, projectId: string): Promise<EvaluatorChoice[]> =>
  readChoices(transaction, projectId, { table: "custom_evaluators", columns: "id" });

async function countIn(transaction: Queryable, projectId: string): Promise<number> {
  const { rows } = await transaction.query<{ count: number }>({
    name: "custom_evaluators_count",
    text: "select count(*)::integer as count from monitor.custom_evaluators where project_id = $1",
    values: [projectId],
  });
  return rows[0]?.count ?? 0;
}

async function lock(transaction: Queryable, projectId: string): Promise<void> {
  await transaction.query({
    name: "custom_evaluators_lock",
    text: "select pg_advisory_xact_lock(hashtextextended('touchstone custom evaluators ' || $1::text, 0))",
    values: [projectId],
  });
}

/** Stores a scorer, new or changed, unless it makes the enabled ones too large. */
async function put(transaction: Queryable, projectId: string, evaluator: StoredEvaluator): Promise<void> {
  const { id, document, createdAt, updatedAt } = evaluator;
  const isEnabled = document.enabled;
  await putFitting(transaction, { projectId, table: "custom_evaluators", isEnabled }, async () => {
    await transaction.query({
      name: "custom_evaluator_put",
      text: `
        insert into monitor.custom_evaluators (project_id, id, document, created_at, updated_at)
        values ($1, $2, $3, $4, $5)
        on conflict (project_id, id) do update
        set document = excluded.document,
            updated_at = excluded.updated_at`,
      values: [projectId, id, JSON.stringify(document), createdAt, updatedAt],
    });
  });
}

const columns = "id, document, created_at, updated_at";
const table = { table: "custom_evaluators", columns } as const;

type EvaluatorRow = { id: string; document: EvaluatorDocument; created_at: Date; updated_at: Date };

const selectOne = (projectId: string, id: string): Statement => ({
  name: "custom_evaluator_find",
  text: `
    select ${columns}
    from monitor.custom_evaluators
    where project_id = $1
      and id = $2`,
  values: [projectId, id],
});

const readRow = (row: EvaluatorRow): StoredEvaluator => ({
  id: row.id,
  document: row.document,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
