import type { Database } from "@touchstone/db";
import { type Clock, createGauge, createScrapeReading, type Metrics } from "@touchstone/service-kit";

/** A metric of how late traces settle. Every replica shows the same. */
export function watchSettling(database: Database, { clock, metrics }: { clock: Clock; metrics: Metrics }): void {
  const read = createScrapeReading({
    clock,
    async read() {
      const { rows } = await database.query<{ seconds: number }>({
        name: "traces_settling_delay",
        text: `
          select extract(epoch from now() - settles_at)::float8 as seconds
          from ingest.traces
          where settles_at <= now()
          order by settles_at
          limit 1`,
      });
      return rows[0]?.seconds ?? 0;
    },
  });
  createGauge(metrics, "service_ingest_settling_delay_seconds", async (gauge) => gauge.set((await read()) ?? -1));
}
