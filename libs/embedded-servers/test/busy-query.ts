import { until } from "./conditions.ts";
import { query } from "./query.ts";

/**
 * Makes a session compute endlessly: it never checks whether its postmaster still exists. Returns when it computes;
 * `ended` resolves when the session is gone, for whatever reason.
 */
export async function startBusyQuery(url: string): Promise<{ ended: Promise<void> }> {
  const ended = query(url, "do 'begin loop end loop; end'").then(
    () => {},
    () => {},
  );
  await until(async () => {
    const sessions = await query(url, "select 1 from pg_stat_activity where state = 'active' and query like 'do %'");
    return sessions.length > 0;
  });
  return { ended };
}
