import { randomBytes } from "node:crypto";
import { type Database, sqlStateOf } from "@touchstone/db";
import { isAppError } from "@touchstone/service-kit";

/**
 * Tracks whether the store accepts writes. A full disk, or a server that is read-only after a failover, still answers
 * reads, so only a write can tell. A replica that is not ready receives no writes that could tell: after a failure this
 * one probes by itself.
 */
export interface WriteWatch {
  /** Forwards calls of a writing function and observes their results. */
  watch<Arguments extends unknown[], Answer>(
    write: (...given: Arguments) => Promise<Answer>,
  ): (...given: Arguments) => Promise<Answer>;
  /** `ok`, or why writes fail. Probes if the last write failed. */
  state(): Promise<string>;
}

const refusals: Readonly<Record<string, string>> = {
  53100: "the disk is full",
  25006: "the database is read-only",
};
/** More than the free space that a full disk may still have inside the tables. */
const probeBytes = 256 * 1024;

/** `maintenance` runs at most one probe at a time. */
export function createWriteWatch(maintenance: Database): WriteWatch {
  let refusal: string | null = null;
  let probing: Promise<void> | null = null;

  async function probe(): Promise<void> {
    try {
      await maintenance.transaction(async (transaction) => {
        await transaction.query({
          name: "write_probe",
          text: "insert into ingest.write_probe (body) values ($1)",
          values: [randomBytes(probeBytes)],
        });
        throw probeSucceeded;
      });
    } catch (thrown) {
      if (thrown === probeSucceeded) refusal = null;
      else refusal = readRefusal(thrown) ?? refusal;
    }
  }

  return {
    watch:
      (write) =>
      async (...given) => {
        try {
          const answer = await write(...given);
          refusal = null;
          return answer;
        } catch (thrown) {
          refusal = readRefusal(thrown) ?? refusal;
          throw thrown;
        }
      },
    async state() {
      if (refusal !== null) {
        probing ??= probe().finally(() => {
          probing = null;
        });
        await probing;
      }
      return refusal ?? "ok";
    },
  };
}

/** Rolls the probe back. */
const probeSucceeded = new Error("the write was taken");

function readRefusal(thrown: unknown): string | null {
  const state = isAppError(thrown) ? sqlStateOf(thrown.cause) : sqlStateOf(thrown);
  return state === null ? null : (refusals[state] ?? null);
}
