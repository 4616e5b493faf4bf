import { ingestActRecorded } from "@touchstone/contracts";
import { enqueueEvent, type Queryable } from "@touchstone/db";
import { type Act, composeRecordedAct, type Deed } from "@touchstone/service-kit";

/** What of this service's the log keeps. */
type Action = "retention.changed" | "traces.deleted";

/** Tells auth's log of an act, in the transaction that carries it out: neither is there without the other (decision 34). */
export async function recordAct(transaction: Queryable, act: Act, deed: Deed & { action: Action }): Promise<void> {
  await enqueueEvent(transaction, "ingest", { event: ingestActRecorded, body: composeRecordedAct(act, deed) });
}
