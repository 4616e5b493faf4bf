import type { MetricName } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { type Clock, createGauge, createScrapeReading, type Metrics } from "@touchstone/service-kit";

/** One value of PostgreSQL for each metric: 0 without a row. */
const readings = {
  /** How long the trace that is due first has waited. */
  service_ingest_settling_delay_seconds: {
    name: "traces_settling_delay",
    text: `
      select extract(epoch from now() - settles_at)::float8 as value
      from ingest.traces
      where settles_at <= now()
      order by settles_at
      limit 1`,
  },
  /** While PostgreSQL cannot archive its log, the log fills its disk. */
  service_database_archive_failing: {
    name: "archive_failing",
    text: `
      select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)::int as value
      from pg_stat_archiver`,
  },
} as const satisfies Partial<Record<MetricName<"gauge">, { name: string; text: string }>>;

/** Metrics of what is in PostgreSQL, -1 when unknown. Every replica shows the same. */
export function watchDatabase(database: Database, { clock, metrics }: { clock: Clock; metrics: Metrics }): void {
  for (const [metric, statement] of Object.entries(readings)) {
    const read = createScrapeReading({
      clock,
      async read() {
        const { rows } = await database.query<{ value: number }>(statement);
        return rows[0]?.value ?? 0;
      },
    });
    createGauge(metrics, metric as keyof typeof readings, async (gauge) => gauge.set((await read()) ?? -1));
  }
}
