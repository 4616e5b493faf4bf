import { type importReply, limits } from "@touchstone/contracts";
import type { z } from "zod";

export type ImportTally = z.infer<typeof importReply>;

/** What an import has done so far, in spans. */
export interface ImportCounter {
  stored(count: number): void;
  replayed(count: number): void;
  /** `error` says what is wrong with the line, in a sentence. */
  rejected(line: number, error: string, count?: number): void;
  /** What was done; the reasons by line. */
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
