import type { ingestCounts, reportedIngestCounts } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";

type Reported = z.output<typeof reportedIngestCounts>["counts"];
type Kept = z.input<typeof ingestCounts>["counts"];

/** Outcomes of telemetry requests, as counted by gateways (decision 44). */
export interface RequestCountStore {
  /** Adds to the stored counts. Skips deleted projects and hours beyond the retention. */
  add(counts: Reported): Promise<void>;
  /** One row for each hour and outcome, oldest first. */
  list(projectId: string, since: Date): Promise<Kept>;
}

/** One day more than the longest window of a read. */
export const countedDays = 31;

export function createRequestCountStore(databases: { reading: Database; maintenance: Database }): RequestCountStore {
  const { reading, maintenance } = databases;
  return {
    async add(counts) {
      await maintenance.query({
        // Sorted, so that two gateways cannot deadlock. A gateway sends each key once.
        name: "request_counts_add",
        text: `
          insert into ingest.request_counts as kept (project_id, hour, outcome, count, last_at, example)
          select *
          from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::bigint[], $5::timestamptz[], $6::text[])
            as reported (project_id, hour, outcome, count, last_at, example)
          where hour >= now() - $7 * interval '1 day'
            and not exists (
              select
              from ingest.deleted_projects
              where deleted_projects.project_id = reported.project_id
            )
          order by project_id, hour, outcome
          on conflict (project_id, hour, outcome) do update
          set count = kept.count + excluded.count, last_at = greatest(kept.last_at, excluded.last_at),
            example = coalesce(excluded.example, kept.example)`,
        values: [
          counts.map(({ projectId }) => projectId),
          counts.map(({ hour }) => hour),
          counts.map(({ outcome }) => outcome),
          counts.map(({ count }) => count),
          counts.map(({ lastAt }) => lastAt),
          counts.map(({ example }) => example),
          countedDays,
        ],
      });
    },

    async list(projectId, since) {
      const { rows } = await reading.readScoped<{
        hour: Date;
        outcome: string;
        count: string;
        last_at: Date;
        example: string | null;
      }>([projectId], {
        name: "request_counts_list",
        text: `
          select hour, outcome, count, last_at, example
          from ingest.request_counts
          where project_id = $1 and hour >= $2
          order by hour, outcome`,
        values: [projectId, since],
      });
      return rows.map(({ hour, outcome, count, last_at, example }) => ({
        hour: hour.toISOString(),
        outcome,
        count: Number(count),
        lastAt: last_at.toISOString(),
        example,
      }));
    },
  };
}
