import type { Queryable } from "@touchstone/db";

/** A row that is due. */
export interface DueRow {
  projectId: string;
  /** Its trace or its child. */
  key: string;
  /** PostgreSQL's text of the time. */
  due: string;
}

/** Rows that wait until a time. Each table has an index by that time, and one by project and time. */
export interface Waiting {
  table: "traces" | "awaited_parents";
  key: "trace_key" | "child_id";
  due: "due_at" | "settles_at";
  /** Only these rows; absent = all. */
  condition?: string;
}

interface DueRecord {
  project_id: string;
  key: string;
  due: string;
}

/** Projects that one turn visits under a backlog. */
const projectsMax = 500;
const beforeAllProjects = "00000000-0000-0000-0000-000000000000";

/**
 * Reads at most `rowsMax` due rows at a time, the longest waiting first. If more are due, projects take turns, so that
 * none waits for the backlog of another; what is left then goes to the longest waiting.
 */
export function createDueReader(waiting: Waiting, rowsMax: number): (database: Queryable) => Promise<DueRow[]> {
  let after = beforeAllProjects;
  return async (database) => {
    const oldest = await readOldest(database, waiting, rowsMax);
    if (oldest.length < rowsMax) return oldest;
    const { rows, last } = await readShares(database, waiting, { rowsMax, after });
    after = last ?? beforeAllProjects;
    const taken = new Map([...rows, ...oldest].map((row) => [`${row.projectId} ${row.key}`, row]));
    return [...taken.values()].slice(0, rowsMax);
  };
}

async function readOldest(database: Queryable, waiting: Waiting, rowsMax: number): Promise<DueRow[]> {
  const { table, key, due, condition = "true" } = waiting;
  const { rows } = await database.query<DueRecord>({
    name: `${table}_${due}_oldest`,
    text: `
      select project_id, ${key} as key, ${due}::text as due
      from ingest.${table}
      where ${due} <= now() and ${condition}
      order by ${table}.${due}
      limit $1`,
    values: [rowsMax],
  });
  return rows.map(toDueRow);
}

/** Shares of the projects after one, and the last of these; null = there is none after them. */
async function readShares(
  database: Queryable,
  waiting: Waiting,
  { rowsMax, after }: { rowsMax: number; after: string },
): Promise<{ rows: DueRow[]; last: string | null }> {
  const { table, key, due, condition = "true" } = waiting;
  const { rows } = await database.query<(DueRecord | { [Name in keyof DueRecord]: null }) & { last: string | null }>({
    // The recursion steps from one project to the next: its cost does not grow with their backlog.
    name: `${table}_${due}_shares`,
    text: `
      with recursive visited (project_id, place) as (
        (
          select project_id, 1
          from ingest.${table}
          where ${due} is not null and project_id > $1
          order by project_id
          limit 1
        )
        union all
        select (
          select project_id
          from ingest.${table}
          where ${due} is not null and ${table}.project_id > visited.project_id
          order by project_id
          limit 1
        ), place + 1
        from visited
        where visited.project_id is not null and place < $2
      ),
      candidates as (
        select own.*, row_number() over (partition by own.project_id order by own.due_time, own.key) as turn
        from visited
        cross join lateral (
          select project_id, ${key} as key, ${due} as due_time
          from ingest.${table}
          where ${table}.project_id = visited.project_id and ${due} <= now() and ${condition}
          order by ${due}
          -- All of them are sorted: about twice as many as are taken, and no more.
          limit least($3::bigint, 1 + 2 * $3::bigint / (select count(*) from visited))
        ) own
      )
      select project_id, key, due_time::text as due, visit.last
      from (select visited.project_id as last from visited order by place desc limit 1) visit
      left join candidates on true
      order by turn, due_time
      limit $3::bigint`,
    values: [after, projectsMax, rowsMax],
  });
  // None of the visited projects may have a row that is due.
  return { rows: rows.flatMap((row) => (row.key === null ? [] : toDueRow(row))), last: rows[0]?.last ?? null };
}

function toDueRow({ project_id, key, due }: DueRecord): DueRow {
  return { projectId: project_id, key, due };
}
