import type { Database, ListQuery, Queryable, Statement } from "@touchstone/db";
import { createBoundedCache, type ListPage, takeLoopTurnIfLarge } from "@touchstone/service-kit";
import { readChoices } from "../lists/choice-store.ts";
import { readDocuments, readNamedDocuments } from "../lists/document-reader.ts";
import type { PatternChoice, PatternDocument, StoredPattern } from "./matching/pattern.ts";

/** Reads patterns of a project. {@link PatternBook} changes them. */
export interface PatternStore {
  /** A page, oldest first. */
  list(projectId: string, query: ListQuery): Promise<ListPage<StoredPattern>>;
  /** Those of the ids that there are. */
  findAll(projectId: string, ids: readonly string[]): Promise<StoredPattern[]>;
  /** The same in parts of bounded size. */
  findInParts(projectId: string, ids: readonly string[]): AsyncIterable<StoredPattern[]>;
  find(projectId: string, id: string): Promise<StoredPattern | null>;
}

export function createPatternStore(database: Database): PatternStore {
  return {
    async list(projectId, query) {
      const page = await readDocuments<PatternRow>(database, projectId, query, { table: "patterns", columns });
      return { ...page, rows: await readRows(page.rows) };
    },
    async findAll(projectId, ids) {
      const { rows } = await database.readScoped<PatternRow>([projectId], selectNamed(projectId, ids));
      return rows.map(readRow);
    },
    async *findInParts(projectId, ids) {
      const table = { table: "patterns", columns } as const;
      for await (const rows of readNamedDocuments<PatternRow>(database, projectId, ids, table)) {
        yield await readRows(rows);
      }
    },
    async find(projectId, id) {
      const { rows } = await database.readScoped<PatternRow>([projectId], selectNamed(projectId, [id]));
      return rows.map(readRow)[0] ?? null;
    },
  };
}

/** Serializes changes of a project's patterns until the transaction ends. */
export async function lockPatterns(transaction: Queryable, projectId: string): Promise<void> {
  await transaction.query({
    name: "patterns_lock",
    text: "select pg_advisory_xact_lock(hashtextextended('touchstone patterns ' || $1::text, 0))",
    values: [projectId],
  });
}

/** What decides about each of a project's patterns whether a trace is due it, within a transaction. */
export const listChoicesIn = (transaction: Queryable, projectId: string): Promise<PatternChoice[]> =>
  readChoices(transaction, projectId, { table: "patterns", columns: "id, key" });

/** One of a project's patterns, within a transaction. */
export async function findPatternIn(
  transaction: Queryable,
  projectId: string,
  id: string,
): Promise<StoredPattern | null> {
  return (await transaction.query<PatternRow>(selectNamed(projectId, [id]))).rows.map(readRow)[0] ?? null;
}

/** The keys of a project's patterns, within a transaction. */
export async function listKeysIn(transaction: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await transaction.query<{ key: string }>({
    name: "pattern_keys",
    text: `
      select key
      from monitor.patterns
      where project_id = $1`,
    values: [projectId],
  });
  return rows.map(({ key }) => key);
}

/** Stores a pattern, new or changed; its key stays. */
export async function putPattern(transaction: Queryable, projectId: string, pattern: StoredPattern): Promise<void> {
  const { id, key, document, createdAt, updatedAt } = pattern;
  await transaction.query({
    name: "pattern_put",
    text: `
      insert into monitor.patterns (project_id, id, key, document, created_at, updated_at)
      values ($1, $2, $3, $4, $5, $6)
      on conflict (project_id, id) do update
      set document = excluded.document,
          updated_at = excluded.updated_at`,
    values: [projectId, id, key, JSON.stringify(document), createdAt, updatedAt],
  });
}

/** True if the pattern existed. */
export async function deletePattern(transaction: Queryable, projectId: string, id: string): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: "pattern_delete",
    text: `
      delete from monitor.patterns
      where project_id = $1
        and id = $2`,
    values: [projectId, id],
  });
  return rowCount === 1;
}

const columns = "id, key, document::text as document, created_at, updated_at";

type PatternRow = { id: string; key: string; document: string; created_at: Date; updated_at: Date };

const selectNamed = (projectId: string, ids: readonly string[]): Statement => ({
  name: "patterns_find",
  text: `
    select ${columns}
    from monitor.patterns
    where project_id = $1
      and id = any($2::uuid[])
    order by created_at, id`,
  values: [projectId, ids],
});

/**
 * Parsed documents by their text: patterns are read for every trace that settles, and regexes are compiled once per document
 * object.
 */
const parsed = createBoundedCache<PatternDocument>(16 * 1024 * 1024);

function parse(text: string): PatternDocument {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const document = JSON.parse(text) as PatternDocument;
  parsed.set(text, document, text.length);
  return document;
}

const readRow = (row: PatternRow): StoredPattern => ({
  id: row.id,
  key: row.key,
  document: parse(row.document),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Each large one in a separate turn. */
async function readRows(rows: readonly PatternRow[]): Promise<StoredPattern[]> {
  const read: StoredPattern[] = [];
  for (const row of rows) {
    await takeLoopTurnIfLarge(row.document.length);
    read.push(readRow(row));
  }
  return read;
}
