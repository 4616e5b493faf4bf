import { redeliveryMaxDays } from "@touchstone/bus";
import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, trimRegularly } from "@touchstone/store-service";

/** The longest window of the dashboard is 30 days, and is compared with the 30 before it. */
const shownDays = 60;

/** A row is what makes an event that comes again harmless, and is counted by the dashboard; then it is of no use. */
export const seenTraceDays = Math.max(redeliveryMaxDays + 5, shownDays + 1);

/** Deletes rows of traces whose event cannot come again, the bus having let go of it for days, and that no window shows. */
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
