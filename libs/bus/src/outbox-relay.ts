import { createHash } from "node:crypto";
import type { EventContract } from "@touchstone/contracts";
import { createBackOff } from "./back-off.ts";
import type { Bus, EventPlace } from "./bus.ts";
import { isBusError } from "./bus-error.ts";
import type { BusLogger } from "./bus-logger.ts";
import { gatherRows, mergeBodies, type Parcel } from "./gather-rows.ts";
import type { OutboxKeeper } from "./outbox-keeper.ts";
import type { OutboxRow, OutboxStore, PublishedRow } from "./outbox-store.ts";

export interface OutboxRelayOptions {
  store: OutboxStore;
  /** The bus to publish to; only this part is used. */
  bus: Pick<Bus, "publish">;
  /** The contracts of the events the outbox may hold; a row is published under the one its subject names. */
  events: readonly EventContract[];
  /** Maintains published rows. Default: none, and the store's `settle` removes them. */
  keeper?: OutboxKeeper;
  logger: BusLogger;
  /** The interval of the keeper. Default 1,000. */
  keepMs?: number;
  /** The interval of polls without a `wake`, after the last row. While there are none it grows to a second. Default 250. */
  pollMs?: number;
  /** The interval of polls from the beginning. Default 5,000. */
  sweepMs?: number;
  /** Rows published at a time. Default 100. */
  batchMax?: number;
}

export interface OutboxRelay {
  /** Announces committed rows; they are published now instead of at the next poll. */
  wake(): void;
  /** Finishes the current batch. Remaining rows stay in the outbox. */
  stop(): Promise<void>;
}

const firstId = "0";
/** After a quiet time, rows that another replica committed are seen this late at most. */
const quietPollMs = 1_000;
const reportedMax = 1_000;

/**
 * Starts publishing committed events, and settles each after its acknowledgement. The message id consists of the row's
 * id and body. So an event published twice within the duplicate window is stored once, and a new event under an old id
 * (after a database restore) is not dropped as a duplicate. Rows whose contract `gathers` may be published as one
 * event; after a failure they may be grouped differently, and then arrive twice. Only acknowledged rows are settled:
 * while the bus or the store is unavailable, the relay backs off and rows wait in the outbox. Several relays over one
 * outbox do no harm.
 *
 * Reading continues from the last id read. Ids are assigned before the commit, so a row may appear below that id later;
 * a sweep from the beginning finds it, and the rows that the keeper marked as unpublished.
 *
 * A BusError other than `too_large` means that the bus has a problem: all rows wait. Any other error (a body that does
 * not match, an undeclared subject) concerns one row, which stays in the outbox for inspection; the others continue.
 */
export function createOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const { store, bus, events, keeper, logger, keepMs = 1_000, pollMs = 250, sweepMs = 5_000, batchMax = 100 } = options;
  const relay = createBatchRelay({ store, bus, events, logger });
  const pauses = createPauses({ pollMs, mostMs: Math.max(pollMs, Math.min(quietPollMs, sweepMs)) });
  const stopping = new AbortController();
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  const sweepNow = (): void => {
    sweptAtMs = Number.NEGATIVE_INFINITY;
  };
  const keep = keeper ? createKeeping(keeper, { keepMs, logger, reopened: sweepNow }) : null;
  const ended = run();

  async function run(): Promise<void> {
    const backOff = createBackOff({ firstMs: pollMs, mostMs: 5_000 });
    let floor = firstId;
    let failing = false;
    while (!stopping.signal.aborted) {
      pauses.begin();
      try {
        if (keep) await keep();
        if (performance.now() - sweptAtMs >= sweepMs) {
          sweptAtMs = performance.now();
          floor = firstId;
        }
        const lastId = await relayAfter(floor);
        const isQuiet = lastId === floor;
        floor = lastId;
        if (failing) logger.info({}, "outbox relay publishes again");
        failing = false;
        backOff.reset();
        await pauses.wait(isQuiet);
      } catch (err) {
        // One line per outage. A wake does not shorten this pause: the problem is not a lack of rows.
        if (!failing) logger.warn({ err }, "outbox relay cannot publish; rows wait until it can");
        failing = true;
        await backOff.wait(stopping.signal);
      }
    }
  }

  /** Relays batch after batch until the outbox is empty; returns the last id it saw. */
  async function relayAfter(id: string): Promise<string> {
    let lastId = id;
    for (;;) {
      const rows = await store.take(lastId, batchMax);
      await relay(rows);
      lastId = rows.at(-1)?.id ?? lastId;
      if (rows.length < batchMax || stopping.signal.aborted) return lastId;
      if (keep) await keep();
    }
  }

  return {
    wake: pauses.end,
    async stop() {
      stopping.abort();
      pauses.end();
      await ended;
    },
  };
}

interface Pauses {
  /** From now on an `end` also prevents the next pause. */
  begin(): void;
  /** Pauses until the next poll is due; each quiet poll doubles the pause. */
  wait(isQuiet: boolean): Promise<void>;
  /** Ends the pause. */
  end(): void;
}

function createPauses({ pollMs, mostMs }: { pollMs: number; mostMs: number }): Pauses {
  let isEnded = false;
  let pauseMs = pollMs;
  let endPause = (): void => {};

  return {
    begin() {
      isEnded = false;
    },
    async wait(isQuiet) {
      pauseMs = isQuiet ? Math.min(2 * pauseMs, mostMs) : pollMs;
      if (isEnded) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    end() {
      isEnded = true;
      endPause();
    },
  };
}

/**
 * Runs the keeper when it is due, and calls `reopened` when rows became unpublished. When the keeper fails, rows are still
 * published, and none is removed.
 */
function createKeeping(
  { look }: OutboxKeeper,
  { keepMs, logger, reopened }: { keepMs: number; logger: BusLogger; reopened: () => void },
): () => Promise<void> {
  let keptAtMs = Number.NEGATIVE_INFINITY;
  let failing = false;

  return async () => {
    if (performance.now() - keptAtMs < keepMs) return;
    keptAtMs = performance.now();
    try {
      if (await look()) reopened();
      if (failing) logger.info({}, "outbox relay knows again what was consumed");
      failing = false;
    } catch (err) {
      if (!failing) logger.warn({ err }, "outbox relay cannot tell what was consumed; published rows stay");
      failing = true;
    }
  };
}

/** Publishes batches; settles the acknowledged rows of each, even if some failed. */
function createBatchRelay({
  store,
  bus,
  events,
  logger,
}: Pick<OutboxRelayOptions, "store" | "bus" | "events" | "logger">): (rows: readonly OutboxRow[]) => Promise<void> {
  const contracts = new Map(events.map((contract) => [contract.subject, contract]));
  const reported = new Set<string>();

  return async function relay(rows) {
    const parcels = gatherRows(rows, ({ subject }) => contracts.get(subject));
    const sent = (await Promise.all(parcels.map(send))).flat();
    const published: PublishedRow[] = [];
    const troubles: unknown[] = [];
    for (const { row, place, err } of sent) {
      if (place !== null) published.push({ id: row.id, ...place });
      else if (concernsRowAlone(err)) report(row, err);
      else troubles.push(err);
    }
    if (published.length > 0) {
      await store.settle(published);
      for (const { id } of published) reported.delete(id);
    }
    if (troubles.length > 0) throw troubles[0];
  };

  /** Publishes rows as one event, or individually when one of them makes that fail. Never rejects. */
  async function send(parcel: Parcel): Promise<Sent[]> {
    try {
      const place = await publish(parcel);
      return parcel.map((row) => ({ row, place, err: null }));
    } catch (err) {
      if (parcel.length === 1 || !concernsRowAlone(err)) return parcel.map((row) => ({ row, place: null, err }));
      return (await Promise.all(parcel.map((row) => send([row])))).flat();
    }
  }

  async function publish(parcel: Parcel): Promise<EventPlace> {
    const [{ subject }] = parcel;
    const contract = contracts.get(subject);
    if (!contract) throw new Error(`no event of this outbox has the subject ${subject}`);
    return await bus.publish(contract, mergeBodies(parcel, contract), { messageId: messageIdOf(contract, parcel) });
  }

  /** Logs once that a row cannot be published. */
  function report(row: OutboxRow, err: unknown): void {
    if (reported.has(row.id)) return;
    if (reported.size < reportedMax) reported.add(row.id);
    logger.error({ err, operation: row.subject, outboxId: row.id }, "outbox row cannot be published; it stays");
  }
}

/** The result of a row: its position in the event store, or the reason for having none. */
interface Sent {
  row: OutboxRow;
  place: EventPlace | null;
  err: unknown;
}

function messageIdOf({ publishedBy }: EventContract, parcel: Parcel): string {
  const hash = createHash("sha256");
  for (const { body } of parcel) hash.update(body);
  return `${publishedBy}-${parcel[0].id}-${hash.digest("base64url").slice(0, 16)}`;
}

function concernsRowAlone(error: unknown): boolean {
  return !isBusError(error) || error.kind === "too_large";
}
