import { createFairLine, type Tenant } from "@touchstone/service-kit";
import type { AdmittedJob } from "./queue-room.ts";

/** The jobs that no writer has taken: one line for batches, and one for jobs too large for a batch. */
export interface WaitingJobs<One> {
  add(job: One): void;
  addLarge(job: One): void;
  /** A job of the tenant's project waits. */
  hasJobOf(tenant: Tenant): boolean;
  /** There is a job to take with `takeBatch`. */
  hasBatch(): boolean;
  /** Rows of the jobs that wait for a batch. */
  rows(): number;
  /** The first jobs, up to `share` rows and the limits of a batch; at least one job. */
  takeBatch(share: number): One[];
  /** The next large job, of the tenants in turn. */
  takeLarge(): One | undefined;
}

/** Bytes in one batch. */
const batchBytesMax = 8 * 1024 * 1024;

export function createWaitingJobs<One extends AdmittedJob>({
  batchRowsMax,
}: {
  batchRowsMax: number;
}): WaitingJobs<One> {
  const batched: One[] = [];
  const large = createFairLine<One>();
  let batchedRows = 0;

  return {
    add(job) {
      batched.push(job);
      batchedRows += job.rows;
    },
    addLarge: (job) => large.add(job),
    hasJobOf: (tenant) => large.sizeOf(tenant) > 0 || batched.some((one) => one.tenant.projectId === tenant.projectId),
    hasBatch: () => batched.length > 0,
    rows: () => batchedRows,
    takeBatch(share) {
      const most = Math.min(share, batchRowsMax);
      let count = 0;
      let rows = 0;
      let bytes = 0;
      for (const job of batched) {
        if (count > 0 && (rows + job.rows > most || bytes + job.bytes > batchBytesMax)) break;
        count += 1;
        rows += job.rows;
        bytes += job.bytes;
      }
      batchedRows -= rows;
      return batched.splice(0, count);
    },
    takeLarge: () => large.takeNext(),
  };
}
