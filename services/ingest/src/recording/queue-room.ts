import { AppError, createFairShare, type FairShare, type ShareUnit, type Tenant } from "@touchstone/service-kit";

/** What a job takes of the queue. */
export interface JobSize {
  rows: number;
  bytes: number;
}

/** An admitted job. */
export interface AdmittedJob extends JobSize {
  tenant: Tenant;
  /** It is larger than all that one project may have in the queue. */
  isOversize: boolean;
}

/** The bounds of the queue, for each tenant by its share, and the admitted jobs that are not yet answered. */
export interface QueueRoom {
  /** The shares of the queue. */
  readonly shares: { queue_rows: FairShare; queue_bytes: FairShare };
  isOversize(size: JobSize): boolean;
  /** Throws `queue_full` if the job is not admitted. `isWaiting`: another job of its project waits. */
  require(size: JobSize, tenant: Tenant, isWaiting: () => boolean): void;
  enter(job: AdmittedJob): void;
  leave(job: AdmittedJob): void;
  isEmpty(): boolean;
  /** Rows in the queue: the current number and the maximum since the start. */
  depth(): { rows: number; rowsMax: number };
}

export function createQueueRoom({ rowsMax, bytesMax }: { rowsMax: number; bytesMax: number }): QueueRoom {
  const rowShare = createFairShare({ total: Math.ceil(rowsMax * 1.5) });
  const byteShare = createFairShare({ total: Math.ceil(bytesMax * 1.5) });
  const held = { jobs: 0, oversize: 0, oversizeRows: 0, rowsEver: 0 };

  const isOversize = ({ rows, bytes }: JobSize): boolean => rows > rowsMax || bytes > bytesMax;

  /** The share that a job exceeds; null if it is admitted. */
  function obstacleTo(size: JobSize, tenant: Tenant, isWaiting: () => boolean): ShareUnit | null {
    if (isOversize(size)) {
      if (held.oversize > 0) return "total";
      return isWaiting() ? "project" : null;
    }
    return rowShare.obstacleTo(tenant, size.rows) ?? byteShare.obstacleTo(tenant, size.bytes);
  }

  /** An oversize job does not count against the queue: others are admitted while it is written. */
  function hold(job: AdmittedJob, sign: 1 | -1): void {
    held.jobs += sign;
    if (job.isOversize) {
      held.oversize += sign;
      held.oversizeRows += sign * job.rows;
    } else {
      rowShare.hold(job.tenant, sign * job.rows);
      byteShare.hold(job.tenant, sign * job.bytes);
    }
    held.rowsEver = Math.max(held.rowsEver, rowsHeld());
  }

  const rowsHeld = (): number => rowShare.held() + held.oversizeRows;

  return {
    shares: { queue_rows: rowShare, queue_bytes: byteShare },
    isOversize,
    require(size, tenant, isWaiting) {
      const obstacle = obstacleTo(size, tenant, isWaiting);
      if (obstacle === null) return;
      rowShare.counts[`refused_${obstacle}`] += 1;
      throw new AppError("queue_full", "Ingest queue is full - retry with backoff (Retry-After: 1s).");
    },
    enter: (job) => hold(job, 1),
    leave: (job) => hold(job, -1),
    isEmpty: () => held.jobs === 0,
    depth: () => ({ rows: rowsHeld(), rowsMax: held.rowsEver }),
  };
}
