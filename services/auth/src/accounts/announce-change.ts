import { membershipChanged } from "@touchstone/contracts";
import type { Transaction } from "@touchstone/db";

/** An event stays a few kilobytes. */
const usersPerEvent = 100;

/** Gateways remember for seconds what a session opens: they are told, in the transaction that changes it. */
export async function announceChange(transaction: Transaction, userIds: readonly string[]): Promise<void> {
  for (let first = 0; first < userIds.length; first += usersPerEvent) {
    const body = membershipChanged.body.parse({ userIds: userIds.slice(first, first + usersPerEvent) });
    await transaction.query({
      name: "membership_changed_enqueue",
      text: `
        insert into auth.outbox (subject, body)
        values ($1, $2)`,
      values: [membershipChanged.subject, JSON.stringify(body)],
    });
  }
}
