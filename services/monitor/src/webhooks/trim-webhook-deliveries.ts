import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, trimRegularly } from "@touchstone/store-service";

const keptDays = 30;

/** Deletes webhook deliveries that ended a month ago. */
export function trimWebhookDeliveries({
  maintenance,
  logger,
}: {
  maintenance: Database;
  logger: Logger;
}): RegularSweep {
  return trimRegularly({
    maintenance,
    logger,
    statement: (rowsAtOnce) => ({
      name: "webhook_deliveries_trim",
      text: `
        delete from monitor.webhook_deliveries
        where (project_id, id) in (
          select project_id, id
          from monitor.webhook_deliveries
          where settled_at < now() - $1 * interval '1 day'
          order by settled_at
          limit $2)`,
      values: [keptDays, rowsAtOnce],
    }),
  });
}
