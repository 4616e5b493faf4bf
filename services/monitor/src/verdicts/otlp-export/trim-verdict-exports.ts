import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, trimRegularly } from "@touchstone/store-service";

const keptHours = 24;
/** A few hundred megabytes. */
const defaultWaitingMax = 500_000;

/**
 * Drops verdicts that could not be sent for a day, and the oldest if the queue is too long: a collector that was unavailable
 * for long does not receive everything.
 */
export function trimVerdictExports(options: {
  maintenance: Database;
  logger: Logger;
  /** Called with the number of dropped verdicts. */
  onDropped: (count: number) => void;
  waitingMax?: number;
}): RegularSweep {
  const { maintenance, logger, onDropped, waitingMax = defaultWaitingMax } = options;
  return trimRegularly({
    maintenance,
    logger,
    onDeleted: (count) => {
      logger.error({ count }, "verdicts that could not be exported were dropped");
      onDropped(count);
    },
    statement: (rowsAtOnce) => ({
      name: "verdict_exports_trim",
      text: `
        delete from monitor.verdict_exports
        where place in (
          select place
          from monitor.verdict_exports
          where created_at < now() - $1 * interval '1 hour'
            or place <= (select max(place) from monitor.verdict_exports) - $2
          order by place
          limit $3)`,
      values: [keptHours, waitingMax, rowsAtOnce],
    }),
  });
}
