import { redeliveryMaxDays } from "@touchstone/bus";
import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, trimRegularly } from "@touchstone/store-service";

/** The longest window of the dashboard is 30 days, and is compared with the previous 30. */
const shownDays = 60;

/** A row makes a redelivered event harmless, and is counted by the dashboard; after this it is not needed. */
export const seenTraceDays = Math.max(redeliveryMaxDays + 5, shownDays + 1);

/**
 * Deletes rows of traces whose event cannot be redelivered, because the bus deleted it days ago, and that no window shows.
 */
export function trimSeenTraces({ maintenance, logger }: { maintenance: Database; logger: Logger }): RegularSweep {
  return trimRegularly({
    maintenance,
    logger,
    statement: (rowsAtOnce) => ({
      name: "seen_traces_trim",
      text: `
        delete from monitor.seen_traces
        where (project_id, trace_id) in (
          select project_id, trace_id
          from monitor.seen_traces
          where seen_at < now() - $1 * interval '1 day'
          order by seen_at
          limit $2)`,
      values: [seenTraceDays, rowsAtOnce],
    }),
  });
}
