import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type LeasedTurns, takeLeasedTurns } from "../background/leased-turns.ts";
import { removeUnnamedMedia } from "./unnamed-media-store.ts";

const everyMs = 10 * 60 * 1000;
const retryMs = 60_000;
/** The first sweep waits until startup has finished. */
const firstMs = 30_000;

/** Removes media that no stored trace has had for a day, on the one replica that holds the lease. */
export function sweepMedia(options: { maintenance: Database; logger: Logger }): LeasedTurns {
  const { maintenance, logger } = options;
  return takeLeasedTurns({
    database: maintenance,
    name: "media",
    lifetimeMs: 60_000,
    firstMs,
    retryMs,
    failure: "media without a trace could not be removed; trying again",
    logger,
    async takeTurn(mayGoOn) {
      await removeUnnamedMedia(maintenance, null, mayGoOn);
      return everyMs;
    },
  });
}
