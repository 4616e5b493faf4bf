import type { Bus, Consuming } from "@touchstone/bus";
import { evaluationsReceived, resultsRated } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { recordEvaluations } from "./external-evaluation-store.ts";
import { exportRatings } from "./otlp-export/export-ratings.ts";
import type { VerdictExports } from "./otlp-export/verdict-queue-store.ts";

/** Consumes `event.evaluation.received.v1`: stores external evaluations of traces. */
export function consumeEvaluationsReceived(bus: Bus, { database }: { database: Database }): Promise<Consuming> {
  return bus.consume(evaluationsReceived, { durable: "monitor-evaluation-received" }, ({ evaluations }) =>
    recordEvaluations(database, evaluations),
  );
}

/** Consumes `event.results.rated.v1`: exports evaluations' verdicts on recorded traces like any other verdict. */
export function consumeResultsRated(
  bus: Bus,
  { database, verdictExports }: { database: Database; verdictExports: VerdictExports },
): Promise<Consuming> {
  return bus.consume(resultsRated, { durable: "monitor-results-rated" }, ({ results }) =>
    exportRatings({ database, verdictExports }, results),
  );
}
