import {
  AppError,
  createFairLine,
  createFairShare,
  type FairShare,
  isAppError,
  type ShareUnit,
  type Tenant,
} from "@touchstone/service-kit";

/**
 * Group commit: waiting requests are committed together, and each is answered when its data is safe.
 *
 * There is no artificial delay. A batch starts as soon as a writer is free, at the end of the event loop's turn, and
 * takes everything that arrived in between, so batches grow with the load. (Without the turn, the first of sixteen
 * simultaneous requests would be committed alone and the others after it: half the throughput at twice the latency.) A
 * second writer starts only when enough rows wait to justify another commit (measured: 1.1 to 1.4 times two eager
 * ones). Jobs too large for a batch have a separate writer, which serves the tenants in turn, and never delay small
 * ones. The queue is bounded, for each tenant by its share, so that a tenant that fills its share does not block
 * others. Nothing in the queue was ever acknowledged.
 */
export interface GroupCommit<Job, Answer> {
  /**
   * Resolves once the job is committed. Rejects with `queue_full` (nothing was stored), with `store_unavailable` after
   * one retry, or with the store's error about this job's data.
   */
  submit(job: Job): Promise<Answer>;
  /** Throws what `submit` would throw now for a job of so many rows, before the job is prepared. */
  requireRoom(rows: number, tenant: Tenant): void;
  /** Rows admitted and not yet answered: the current number and the maximum since the start. */
  depth(): { rows: number; rowsMax: number };
  /** The shares of the queue. */
  readonly shares: { queue_rows: FairShare; queue_bytes: FairShare };
  /** Stops admitting jobs; resolves when all admitted jobs are answered. */
  stop(): Promise<void>;
}

export interface GroupCommitOptions<Job, Answer> {
  /**
   * Commits jobs together, each whole or not at all, and settles each. Rejects if nothing was committed. `writer` is
   * below {@link writerCount}; each writes one batch at a time.
   */
  write(jobs: readonly Job[], writer: number): Promise<PromiseSettledResult<Answer>[]>;
  /** `isBulk`: a job that waits with the large ones, whatever its size. */
  sizeOf(job: Job): { rows: number; bytes: number; isBulk?: boolean };
  tenantOf(job: Job): Tenant;
  /** Rows in one batch. */
  batchRowsMax: number;
  /**
   * Unanswered rows of one project; all projects together may have half as much again. One job larger than either is
   * admitted if no other job of its project waits.
   */
  rowsMax: number;
  bytesMax: number;
  sleep(ms: number): Promise<void>;
  /** Called after each commit, with the time it took. */
  onCommit?(ms: number): void;
}

/** Two for batches, one for large jobs. */
export const writerCount = 3;
const largeWriter = 2;
/** Rows that must wait before the second writer starts. */
const secondWriterRows = 32;
/**
 * Two idle writers split the waiting rows if each gets this many: below, the fixed cost of a commit outweighs the gain.
 */
const halvedBatchRows = 64;
/** A job over either limit is large; a smaller one is a batch that others can wait for. */
const largeJobRows = 1024;
const largeJobBytes = 8 * 1024 * 1024;
/** Bytes in one batch. */
const batchBytesMax = 8 * 1024 * 1024;
const retryDelayMs = 250;

interface Waiting<Job, Answer> {
  job: Job;
  tenant: Tenant;
  rows: number;
  bytes: number;
  isOversize: boolean;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

export function createGroupCommit<Job, Answer>(options: GroupCommitOptions<Job, Answer>): GroupCommit<Job, Answer> {
  const { batchRowsMax, rowsMax, bytesMax } = options;
  const shares = {
    queue_rows: createFairShare({ total: Math.ceil(rowsMax * 1.5) }),
    queue_bytes: createFairShare({ total: Math.ceil(bytesMax * 1.5) }),
  };
  const { queue_rows: rowShare, queue_bytes: byteShare } = shares;
  const batched: Waiting<Job, Answer>[] = [];
  const large = createFairLine<Waiting<Job, Answer>>();
  const isWriting = Array.from({ length: writerCount }, () => false);
  const held = { jobs: 0, oversize: 0, oversizeRows: 0, rowsEver: 0 };
  let waitingRows = 0;
  let isStarting = false;
  let stopping: { resolve(): void } | null = null;

  /** The share that a job exceeds; null if it is admitted. */
  function obstacleTo({ rows, bytes }: { rows: number; bytes: number }, tenant: Tenant): ShareUnit | null {
    if (rows > rowsMax || bytes > bytesMax) {
      if (held.oversize > 0) return "total";
      const isWaiting = large.sizeOf(tenant) > 0 || batched.some((one) => one.tenant.projectId === tenant.projectId);
      return isWaiting ? "project" : null;
    }
    return rowShare.obstacleTo(tenant, rows) ?? byteShare.obstacleTo(tenant, bytes);
  }

  /** An oversize job does not count against the queue: others are admitted while it is written. */
  function hold({ tenant, rows, bytes, isOversize }: Waiting<Job, Answer>, sign: 1 | -1): void {
    held.jobs += sign;
    if (isOversize) {
      held.oversize += sign;
      held.oversizeRows += sign * rows;
    } else {
      rowShare.hold(tenant, sign * rows);
      byteShare.hold(tenant, sign * bytes);
    }
    held.rowsEver = Math.max(held.rowsEver, rowShare.held() + held.oversizeRows);
  }

  function startSoon(): void {
    if (isStarting) return;
    isStarting = true;
    setImmediate(() => {
      isStarting = false;
      startWriters();
    });
  }

  function startWriters(): void {
    const [first, second] = isWriting;
    if (!first && !second && batched.length > 0) {
      const isWorthTwo = waitingRows >= 2 * halvedBatchRows;
      void run(0, takeBatch(isWorthTwo ? Math.ceil(waitingRows / 2) : batchRowsMax));
      if (isWorthTwo && batched.length > 0) void run(1, takeBatch(batchRowsMax));
    } else if (first !== second && waitingRows >= secondWriterRows) {
      void run(first ? 1 : 0, takeBatch(batchRowsMax));
    }
    const nextLarge = isWriting[largeWriter] ? undefined : large.takeNext();
    if (nextLarge !== undefined) void run(largeWriter, [nextLarge]);
  }

  /** All waiting jobs, up to `share` rows and the limits of a batch; at least one job. */
  function takeBatch(share: number): Waiting<Job, Answer>[] {
    const most = Math.min(share, batchRowsMax);
    let count = 0;
    let rows = 0;
    let bytes = 0;
    for (const waiting of batched) {
      if (count > 0 && (rows + waiting.rows > most || bytes + waiting.bytes > batchBytesMax)) break;
      count += 1;
      rows += waiting.rows;
      bytes += waiting.bytes;
    }
    waitingRows -= rows;
    return batched.splice(0, count);
  }

  async function run(writer: number, batch: Waiting<Job, Answer>[]): Promise<void> {
    isWriting[writer] = true;
    await commit(batch, writer, false);
    isWriting[writer] = false;
    startSoon();
    if (held.jobs === 0) stopping?.resolve();
  }

  /** Answers all jobs of the batch. Never rejects. */
  async function commit(batch: readonly Waiting<Job, Answer>[], writer: number, isRetry: boolean): Promise<void> {
    let outcomes: PromiseSettledResult<Answer>[];
    const startedAtMs = performance.now();
    try {
      outcomes = await options.write(
        batch.map(({ job }) => job),
        writer,
      );
    } catch (thrown) {
      if (isPassing(thrown) || batch.length === 1) return fail(batch, thrown, writer, isRetry);
      // The data of some job is invalid; the other jobs must still be stored.
      const half = Math.ceil(batch.length / 2);
      await commit(batch.slice(0, half), writer, isRetry);
      await commit(batch.slice(half), writer, isRetry);
      return;
    }
    options.onCommit?.(performance.now() - startedAtMs);
    const rejected: { waiting: Waiting<Job, Answer>; reason: unknown }[] = [];
    for (const [index, waiting] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome?.status === "fulfilled") answer(waiting, () => waiting.resolve(outcome.value));
      else rejected.push({ waiting, reason: outcome?.reason });
    }
    for (const [reason, failed] of Map.groupBy(rejected, (one) => one.reason)) {
      const waiters = failed.map(({ waiting }) => waiting);
      await fail(waiters, reason, writer, isRetry);
    }
  }

  /** Retries jobs once after a transient failure, then rejects them. */
  async function fail(
    batch: readonly Waiting<Job, Answer>[],
    reason: unknown,
    writer: number,
    isRetry: boolean,
  ): Promise<void> {
    if (isPassing(reason) && !isRetry) {
      await options.sleep(retryDelayMs);
      return commit(batch, writer, true);
    }
    for (const waiting of batch) {
      const error = isPassing(reason)
        ? new AppError("store_unavailable", "Trace storage is unavailable - the span was not stored; retry.", {
            cause: reason,
          })
        : reason;
      answer(waiting, () => waiting.reject(error));
    }
  }

  function answer(waiting: Waiting<Job, Answer>, settle: () => void): void {
    hold(waiting, -1);
    settle();
  }

  function requireAdmission(size: { rows: number; bytes: number }, tenant: Tenant): void {
    if (stopping !== null) throw new AppError("store_unavailable", "The service is stopping; retry.");
    const obstacle = obstacleTo(size, tenant);
    if (obstacle === null) return;
    rowShare.counts[`refused_${obstacle}`] += 1;
    throw new AppError("queue_full", "Ingest queue is full - retry with backoff (Retry-After: 1s).");
  }

  return {
    shares,
    requireRoom: (rows, tenant) => requireAdmission({ rows, bytes: 0 }, tenant),
    async submit(job) {
      const size = options.sizeOf(job);
      const tenant = options.tenantOf(job);
      requireAdmission(size, tenant);
      return new Promise((resolve, reject) => {
        const isOversize = size.rows > rowsMax || size.bytes > bytesMax;
        const waiting = { job, tenant, rows: size.rows, bytes: size.bytes, isOversize, resolve, reject };
        hold(waiting, 1);
        const isLarge = size.isBulk || size.rows > Math.max(largeJobRows, batchRowsMax) || size.bytes > largeJobBytes;
        if (isLarge || isOversize) large.add(waiting);
        else {
          batched.push(waiting);
          waitingRows += size.rows;
        }
        startSoon();
      });
    },
    depth: () => ({ rows: rowShare.held() + held.oversizeRows, rowsMax: held.rowsEver }),
    stop() {
      return new Promise((resolve) => {
        stopping = { resolve };
        if (held.jobs === 0) resolve();
      });
    },
  };
}

function isPassing(thrown: unknown): boolean {
  return isAppError(thrown) && thrown.code === "store_unavailable";
}
