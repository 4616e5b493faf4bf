import { type FileHandle, open } from "node:fs/promises";

/** What became of one attempt to store a write, as its sender saw it. */
export type Outcome =
  /** 2xx: it is committed. Of a REST trace the answer names the row. */
  | { kind: "acked"; traceId: string | null }
  /** 429 or 503: try again. */
  | { kind: "refused"; status: 429 | 503 }
  /** No answer, or half of one. */
  | { kind: "broken" }
  /** Anything else; it is a finding by itself. */
  | { kind: "unexpected"; status: number; body: string };

/** One span that was sent, and everything its sender was told about it. */
export interface LedgerEntry {
  /** In the name of the span, and of no other one. */
  marker: string;
  spanId: string | null;
  sessionId: string;
  /** Whether the span is a root, which the list shows, or a child. */
  isRoot: boolean;
  /** What reading it back must give. */
  shown: Readonly<Record<string, unknown>>;
  outcomes: Outcome[];
}

/**
 * The record the audit holds the system to. An acknowledgement counts only when its line is on disk: a driver that
 * dies has not forgotten what it was promised.
 */
export interface Ledger {
  /** Notes a span that is about to be sent. */
  announce(entry: Omit<LedgerEntry, "outcomes">): LedgerEntry;
  /** Notes what became of an attempt; resolves once the line is synced. */
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
 * What was promised at this moment. Nobody can tell whether an older copy of the system has what came later: it is
 * there at most once.
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
