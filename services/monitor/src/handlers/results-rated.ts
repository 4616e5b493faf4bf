import type { Bus, Consuming } from "@touchstone/bus";
import { resultsRated } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { exportRatings } from "../verdicts/otlp-export/export-ratings.ts";
import type { VerdictExports } from "../verdicts/otlp-export/verdict-exports.ts";

/** Consumes `event.results.rated.v1`: what evaluations said of recorded traces leaves like any other verdict. */
export function consumeResultsRated(
  bus: Bus,
  { database, verdictExports }: { database: Database; verdictExports: VerdictExports },
): Promise<Consuming> {
  return bus.consume(resultsRated, { durable: "monitor-results-rated" }, ({ results }) =>
    exportRatings({ database, verdictExports }, results),
  );
}
