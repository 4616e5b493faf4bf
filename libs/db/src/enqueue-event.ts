import type { Queryable } from "./database.ts";

/** What of an event's contract its writer needs. `parse` throws at a body that is none of the event's. */
interface OutboxEvent {
  subject: string;
  body: { parse(body: unknown): unknown };
}

/** Writes one event into `<schema>.outbox`, in the transaction of what it tells of: neither is there without the other. */
export async function enqueueEvent(
  transaction: Queryable,
  schema: string,
  { event, body }: { event: OutboxEvent; body: unknown },
): Promise<void> {
  await transaction.query({
    name: `${schema}_outbox_enqueue`,
    text: `
      insert into ${schema}.outbox (subject, body)
      values ($1, $2)`,
    values: [event.subject, JSON.stringify(event.body.parse(body))],
  });
}
