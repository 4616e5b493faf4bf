import { type Database, type ListQuery, type Statement, selectPart, sqlStateOf } from "@touchstone/db";
import { type Act, AppError, type ListPage, type PartBounds, type SizedRow } from "@touchstone/service-kit";
import { recordAuditEvent } from "../outbox.ts";
import { readList } from "../queries/list-query.ts";

/** The content of a tool schema at one version. */
export interface ToolSchemaDocument {
  definition: string;
  description: string | null;
  testEndpointUrl: string | null;
}

/** A tool's definition, registered under the tool's name in traces. */
export interface StoredToolSchema extends ToolSchemaDocument {
  id: string;
  name: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface ToolSchemaVersion {
  version: number;
  definition: string;
  createdAt: Date;
}

interface WrittenSchema {
  id: string;
  name: string;
  document: ToolSchemaDocument;
  at: Date;
}

/** Tool schemas and their versions. Names are unique in a project: a duplicate is a `conflict`. */
export interface ToolSchemaStore {
  insert(projectId: string, schema: WrittenSchema): Promise<StoredToolSchema>;
  /** By name, which is also the cursor. */
  list(projectId: string, query: ListQuery): Promise<ListPage<StoredToolSchema>>;
  find(projectId: string, id: string): Promise<StoredToolSchema | null>;
  /** Newest first; the cursor is a version's number. */
  listVersions(projectId: string, id: string, query: ListQuery<number>): Promise<ListPage<ToolSchemaVersion>>;
  /** Stores the document that `change` returns as a new version. Null when there is none. */
  update(
    projectId: string,
    id: string,
    change: (current: StoredToolSchema) => { name: string; document: ToolSchemaDocument },
    at: Date,
  ): Promise<StoredToolSchema | null>;
  remove(projectId: string, id: string, act: Act): Promise<boolean>;
  /** The beginnings of the definitions of those tools that are registered: more than a judge shows. */
  readDefinitions(projectId: string, names: readonly string[]): Promise<{ name: string; definition: string }[]>;
}

const uniqueViolation = "23505";

export function createToolSchemaStore(database: Database): ToolSchemaStore {
  return {
    insert: (projectId, schema) =>
      refuseTakenName(() =>
        database.scoped([projectId], async (transaction) => {
          const { rows } = await transaction.query<ToolSchemaRow>(buildInsert(projectId, schema));
          return readRow(rows[0] as ToolSchemaRow);
        }),
      ),

    async list(projectId, query) {
      const page = await readList<ToolSchemaRow & SizedRow, string>(database, projectId, query, {
        cursorOf: ({ name }) => name,
        statement: (cursor, bounds) => selectSchemas(projectId, cursor, bounds),
      });
      return { ...page, rows: page.rows.map(readRow) };
    },

    async find(projectId, id) {
      const { rows } = await database.readScoped<ToolSchemaRow>([projectId], {
        name: "tool_schema_find",
        text: `
          select ${columns}
          from evals.tool_schemas
          where project_id = $1
            and id = $2`,
        values: [projectId, id],
      });
      return rows[0] === undefined ? null : readRow(rows[0]);
    },

    async listVersions(projectId, id, query) {
      const page = await readList<VersionRow & SizedRow, number>(database, projectId, query, {
        cursorOf: ({ version }) => version,
        statement: (cursor, bounds) => selectVersions(projectId, id, cursor, bounds),
      });
      const rows = page.rows.map(({ version, document, created_at }) => ({
        version,
        definition: document.definition,
        createdAt: created_at,
      }));
      return { ...page, rows };
    },

    update: (projectId, id, change, at) =>
      refuseTakenName(() =>
        database.scoped([projectId], async (transaction) => {
          const { rows } = await transaction.query<ToolSchemaRow>(lockSchema(projectId, id));
          if (rows[0] === undefined) return null;
          const changed = { id, ...change(readRow(rows[0])), at };
          const updated = await transaction.query<ToolSchemaRow>(buildUpdate(projectId, changed));
          return readRow(updated.rows[0] as ToolSchemaRow);
        }),
      ),

    remove: (projectId, id, act) =>
      database.scoped([projectId], async (transaction) => {
        const { rows } = await transaction.query<{ name: string }>({
          name: "tool_schema_remove",
          text: `
            delete from evals.tool_schemas
            where project_id = $1
              and id = $2
            returning name`,
          values: [projectId, id],
        });
        const [removed] = rows;
        if (removed === undefined) return false;
        await recordAuditEvent(transaction, act, { action: "tool-schema.deleted", targetId: id, details: removed });
        return true;
      }),

    async readDefinitions(projectId, names) {
      const { rows } = await database.readScoped<{ name: string; document: ToolSchemaDocument }>([projectId], {
        name: "tool_schema_definitions",
        text: `
          select name, document
          from evals.tool_schemas
          where project_id = $1
            and name = any ($2)`,
        values: [projectId, names],
      });
      return rows.map(({ name, document }) => ({ name, definition: cutDefinition(document.definition) }));
    },
  };
}

const buildInsert = (projectId: string, { id, name, document, at }: WrittenSchema): Statement => ({
  name: "tool_schema_insert",
  text: `
    with inserted as (
      insert into evals.tool_schemas (project_id, id, name, version, document, created_at, updated_at)
      values ($1, $2, $3, 1, $4, $5, $5)
      returning ${columns}
    ), first_version as (
      insert into evals.tool_schema_versions (project_id, tool_schema_id, version, document, created_at)
      values ($1, $2, 1, $4, $5)
    )
    select * from inserted`,
  values: [projectId, id, name, JSON.stringify(document), at],
});

const lockSchema = (projectId: string, id: string): Statement => ({
  name: "tool_schema_lock",
  text: `
    select ${columns}
    from evals.tool_schemas
    where project_id = $1
      and id = $2
    for update`,
  values: [projectId, id],
});

/** Stores the document as the next version. */
const buildUpdate = (projectId: string, { id, name, document, at }: WrittenSchema): Statement => ({
  name: "tool_schema_update",
  text: `
    with updated as (
      update evals.tool_schemas
      set name = $3, document = $4, version = version + 1, updated_at = $5
      where project_id = $1
        and id = $2
      returning ${columns}
    ), next_version as (
      insert into evals.tool_schema_versions (project_id, tool_schema_id, version, document, created_at)
      select $1, id, version, document, updated_at
      from updated
    )
    select * from updated`,
  values: [projectId, id, name, JSON.stringify(document), at],
});

const selectSchemas = (projectId: string, cursor: string | null, { rowsMax, bytesMax }: PartBounds): Statement => ({
  name: "tool_schema_list",
  text: selectPart({
    rows: `
      select ${columns}, document_bytes
      from evals.tool_schemas
      where project_id = $1
        and ($2::text is null or name > $2)
      order by name
      limit $3`,
    stored: { document_bytes: ["document"] },
    order: "name",
    columns,
    bytesMax: "$4",
  }),
  values: [projectId, cursor, rowsMax, bytesMax],
});

const selectVersions = (
  projectId: string,
  id: string,
  cursor: number | null,
  { rowsMax, bytesMax }: PartBounds,
): Statement => ({
  name: "tool_schema_versions",
  text: selectPart({
    rows: `
      select version, document, document_bytes, created_at
      from evals.tool_schema_versions
      where project_id = $1
        and tool_schema_id = $2
        and ($3::integer is null or version < $3)
      order by version desc
      limit $4`,
    stored: { document_bytes: ["document"] },
    order: "version desc",
    columns: "version, document, created_at",
    bytesMax: "$5",
  }),
  values: [projectId, id, cursor, rowsMax, bytesMax],
});

/** Judges show 4,000 characters and say that a longer text was cut. Without half a surrogate pair one more is left. */
const definitionMaxChars = 4_002;

function cutDefinition(definition: string): string {
  const cut = definition.slice(0, definitionMaxChars);
  return cut.length < definition.length && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

async function refuseTakenName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (thrown) {
    if (sqlStateOf(thrown) !== uniqueViolation) throw thrown;
    throw new AppError("conflict", "A tool schema with this name already exists");
  }
}

type VersionRow = { version: number; document: ToolSchemaDocument; created_at: Date };

const columns = "id, name, version, document, created_at, updated_at";

type ToolSchemaRow = {
  id: string;
  name: string;
  version: number;
  document: ToolSchemaDocument;
  created_at: Date;
  updated_at: Date;
};

const readRow = (row: ToolSchemaRow): StoredToolSchema => ({
  id: row.id,
  name: row.name,
  version: row.version,
  ...row.document,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
