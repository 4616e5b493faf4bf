import type { Stretch } from "@touchstone/contracts";
import { type Database, type ListQuery, type Queryable, selectPart } from "@touchstone/db";
import type { ListPage, SizedRow } from "@touchstone/service-kit";
import { readList } from "../queries/list-query.ts";
import type { GroupDocument } from "./group-document.ts";
import type { LiveProfile } from "./online-profile.ts";

/** A scorer group (completions 4.4). */
export interface StoredGroup extends GroupDocument {
  id: string;
  online: LiveProfile | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A group's ratings in one time bucket. */
export interface RatingBucket {
  start: Date;
  /** Over rated results, without variants. */
  averageRating: number;
  count: number;
}

export interface GroupStore {
  find(projectId: string, id: string): Promise<StoredGroup | null>;
  /** The project's groups, newest first. */
  list(projectId: string, query: ListQuery): Promise<ListPage<StoredGroup>>;
  readDocument(projectId: string, id: string): Promise<string | null>;
  exists(projectId: string, id: string): Promise<boolean>;
  /** The results of runs that the group graded, from `since` on, by interval in UTC; empty intervals are left out. */
  tallyRatings(projectId: string, id: string, options: { since: Date; stretch: Stretch }): Promise<RatingBucket[]>;
}

export function createGroupStore(database: Database): GroupStore {
  return {
    async find(projectId, id) {
      return (
        (await database.readScoped<GroupRow>([projectId], selectGroup(projectId, id))).rows.map(readRow)[0] ?? null
      );
    },

    async list(projectId, query) {
      const page = await readList<GroupRow & SizedRow, string>(database, projectId, query, {
        cursorOf: ({ id }) => id,
        statement: (cursor, { rowsMax, bytesMax }) => ({
          name: "group_list",
          text: selectPart({
            rows: `
              select *
              from evals.scorer_groups
              where project_id = $1
                and ($2::uuid is null or id < $2)
              order by id desc
              limit $3`,
            large: ["document"],
            order: "id desc",
            columns: groupColumns,
            bytesMax: "$4",
          }),
          values: [projectId, cursor, rowsMax, bytesMax],
        }),
      });
      return { ...page, rows: page.rows.map(readRow) };
    },

    async readDocument(projectId, id) {
      const { rows } = await database.readScoped<{ document: string }>([projectId], {
        name: "group_read_document",
        text: `
          select document::text
          from evals.scorer_groups
          where project_id = $1
            and id = $2`,
        values: [projectId, id],
      });
      return rows[0]?.document ?? null;
    },

    async exists(projectId, id) {
      const { rowCount } = await database.readScoped([projectId], {
        name: "group_exists",
        text: `
          select id
          from evals.scorer_groups
          where project_id = $1
            and id = $2`,
        values: [projectId, id],
      });
      return rowCount === 1;
    },

    async tallyRatings(projectId, id, { since, stretch }) {
      const { rows } = await database.readScoped<{ start: Date; average: number; count: number }>([projectId], {
        name: "group_tally_ratings",
        text: `
          select
            date_bin($4::interval, results.created_at, timestamptz 'epoch') as start,
            avg(results.rating)::double precision as average,
            count(*)::integer as count
          from evals.runs
          join evals.results
            on results.project_id = runs.project_id
            and results.run_id = runs.id
          where runs.project_id = $1
            and runs.scorer_group_id = $2
            and results.created_at >= $3
            and results.rating is not null
            and not results.is_variant
          group by 1`,
        values: [projectId, id, since, stretch],
      });
      return rows.map(({ start, average, count }) => ({ start, averageRating: average, count }));
    },
  };
}

/** Reads a group under {@link lockGraders}. */
export async function findGroup(transaction: Queryable, projectId: string, id: string): Promise<StoredGroup | null> {
  const { rows } = await transaction.query<GroupRow>(selectGroup(projectId, id));
  return rows.map(readRow)[0] ?? null;
}

/** The number of groups of a project. */
export async function countGroups(transaction: Queryable, projectId: string): Promise<number> {
  const { rows } = await transaction.query<{ count: number }>({
    name: "group_count",
    text: `
      select count(*)::integer as count
      from evals.scorer_groups
      where project_id = $1`,
    values: [projectId],
  });
  return rows[0]?.count ?? 0;
}

/** The groups that are attached to live traffic, paused ones included. */
export async function listLiveGroups(transaction: Queryable, projectId: string): Promise<StoredGroup[]> {
  const { rows } = await transaction.query<GroupRow>({
    name: "group_list_live",
    text: `
      select ${groupColumns}
      from evals.scorer_groups
      where project_id = $1
        and online is not null`,
    values: [projectId],
  });
  return rows.map(readRow);
}

/** Stores a group, new or changed. */
export async function putGroup(transaction: Queryable, projectId: string, group: StoredGroup): Promise<void> {
  const { id, online, createdAt, updatedAt, ...document } = group;
  await transaction.query({
    name: "group_put",
    text: `
      insert into evals.scorer_groups (project_id, id, document, online, created_at, updated_at)
      values ($1, $2, $3, $4, $5, $6)
      on conflict (project_id, id) do update
      set document = excluded.document,
          online = excluded.online,
          updated_at = excluded.updated_at`,
    values: [projectId, id, JSON.stringify(document), online && JSON.stringify(online), createdAt, updatedAt],
  });
}

/** True if the group existed. */
export async function deleteGroup(transaction: Queryable, projectId: string, id: string): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: "group_delete",
    text: `
      delete from evals.scorer_groups
      where project_id = $1
        and id = $2`,
    values: [projectId, id],
  });
  return rowCount === 1;
}

const groupColumns = "id, document::text, online::text, created_at, updated_at";

const selectGroup = (projectId: string, id: string) => ({
  name: "group_find",
  text: `
    select ${groupColumns}
    from evals.scorer_groups
    where project_id = $1
      and id = $2`,
  values: [projectId, id],
});

type GroupRow = { id: string; document: string; online: string | null; created_at: Date; updated_at: Date };

const readRow = (row: GroupRow): StoredGroup => ({
  ...(JSON.parse(row.document) as GroupDocument),
  id: row.id,
  online: row.online === null ? null : JSON.parse(row.online),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
