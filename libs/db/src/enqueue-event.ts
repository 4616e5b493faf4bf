import type { Queryable } from "./database.ts";

/** The part of an event's contract that its writer needs. `parse` throws at an invalid body. */
interface OutboxEvent {
  subject: string;
  body: { parse(body: unknown): unknown };
}

/** Writes one event into `<schema>.outbox`, in the transaction of its data: neither exists without the other. */
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
