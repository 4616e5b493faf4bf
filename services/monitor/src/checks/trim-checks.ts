import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, trimRegularly } from "@touchstone/store-service";
import { plannableDays } from "../traces/settled-trace-store.ts";

/** A week: longer than any event can plan the same check again. */
const keptDays = plannableDays + 1;

/** Deletes checks that ended a week ago. */
export function trimChecks({ maintenance, logger }: { maintenance: Database; logger: Logger }): RegularSweep {
  return trimRegularly({
    maintenance,
    logger,
    statement: (rowsAtOnce) => ({
      name: "checks_trim",
      text: `
        delete from monitor.checks
        where id in (
          select id
          from monitor.checks
          where settled_at < now() - $1 * interval '1 day'
          order by settled_at
          limit $2)`,
      values: [keptDays, rowsAtOnce],
    }),
  });
}
