import { type FileHandle, open } from "node:fs/promises";

/** The outcome of one attempt to store a write, as its sender saw it. */
export type Outcome =
  /** 2xx: it is committed. The answer to a REST trace contains the row id. */
  | { kind: "acked"; traceId: string | null }
  /** 429 or 503: retry. */
  | { kind: "refused"; status: 429 | 503 }
  /** No answer, or an incomplete one. */
  | { kind: "broken" }
  /** Anything else; this is a finding by itself. */
  | { kind: "unexpected"; status: number; body: string };

/** One span that was sent, and all answers its sender received. */
export interface LedgerEntry {
  /** Part of the span's name, and of no other name. */
  marker: string;
  spanId: string | null;
  sessionId: string;
  /** Whether the span is a root, which the list shows, or a child. */
  isRoot: boolean;
  /** The expected contents when it is read back. */
  shown: Readonly<Record<string, unknown>>;
  outcomes: Outcome[];
}

/**
 * The record that the audit compares the system with. An acknowledgement counts only once its line is on disk, so it
 * survives a crash of the driver.
 */
export interface Ledger {
  /** Records a span that is about to be sent. */
  announce(entry: Omit<LedgerEntry, "outcomes">): LedgerEntry;
  /** Records the outcome of an attempt; resolves once the line is synced. */
  record(entries: readonly LedgerEntry[], outcome: Outcome): Promise<void>;
  entries(): readonly LedgerEntry[];
  /** Acknowledgements so far. */
  acked(): number;
  close(): Promise<void>;
}

/** Opens an empty ledger at `file`. */
export async function openLedger(file: string): Promise<Ledger> {
  const handle: FileHandle = await open(file, "ax");
  const entries: LedgerEntry[] = [];
  let acked = 0;
  let waiting: { line: string; done: () => void; failed: (reason: unknown) => void }[] = [];
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await handle.appendFile(batch.map(({ line }) => line).join(""));
        await handle.datasync();
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    writing = null;
  }

  return {
    announce(entry) {
      const kept: LedgerEntry = { ...entry, outcomes: [] };
      entries.push(kept);
      return kept;
    },
    async record(subjects, outcome) {
      const facts = { at: new Date().toISOString(), ...outcome, markers: subjects.map(({ marker }) => marker) };
      await new Promise<void>((done, failed) => {
        waiting.push({ line: `${JSON.stringify(facts)}\n`, done, failed });
        writing ??= write();
      });
      for (const entry of subjects) entry.outcomes.push(outcome);
      if (outcome.kind === "acked") acked += subjects.length;
    },
    entries: () => entries,
    acked: () => acked,
    async close() {
      await writing;
      await handle.close();
    },
  };
}

/**
 * The promises at this moment. An older copy of the system may or may not have later spans: each is there at most once.
 */
export function freezeLedger(ledger: Pick<Ledger, "entries">): () => Pick<Ledger, "entries"> {
  const known = new Map(ledger.entries().map((entry) => [entry.marker, [...entry.outcomes]]));
  return () => ({
    entries: () =>
      ledger
        .entries()
        .map((entry) => ({ ...entry, outcomes: [...(known.get(entry.marker) ?? []), { kind: "broken" }] })),
  });
}
