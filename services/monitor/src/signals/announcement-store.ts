import type { Queryable } from "@touchstone/db";

/** The time after an announcement in which a signal is not announced again. */
const quietSeconds = 60;

/**
 * Notes that a signal is announced. False when it was announced less than 60 s ago. The signal's row is locked: it was just
 * written.
 */
export async function noteAnnouncement(
  transaction: Queryable,
  { projectId, id }: { projectId: string; id: string },
): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: "signal_announce",
    text: `
      update monitor.signals
      set announced_at = now()
      where project_id = $1
        and id = $2
        and (announced_at is null or announced_at <= now() - $3 * interval '1 second')`,
    values: [projectId, id, quietSeconds],
  });
  return rowCount === 1;
}
