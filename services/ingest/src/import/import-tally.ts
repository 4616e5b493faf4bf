import { type importReply, limits } from "@touchstone/contracts";
import type { z } from "zod";

export type ImportTally = z.infer<typeof importReply>;

/** Counts the spans of an import. */
export interface ImportCounter {
  stored(count: number): void;
  replayed(count: number): void;
  /** `error` is a sentence that describes the fault of the line. */
  rejected(line: number, error: string, count?: number): void;
  /** The counts so far, with reasons by line. */
  tally(): ImportTally;
}

export function createImportCounter(): ImportCounter {
  const counted = { stored: 0, replayed: 0, rejected: 0 };
  const reasons: ImportTally["reasons"] = [];
  return {
    stored(count) {
      counted.stored += count;
    },
    replayed(count) {
      counted.replayed += count;
    },
    rejected(line, error, count = 1) {
      counted.rejected += count;
      if (reasons.length < limits.importReasonsMax) reasons.push({ line, error });
    },
    tally: () => ({ ...counted, reasons: reasons.toSorted((one, other) => one.line - other.line) }),
  };
}
