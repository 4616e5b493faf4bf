import { AppError } from "@touchstone/service-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createGroupCommit, type GroupCommit } from "../src/spans/group-commit.ts";

interface Job {
  id: number;
  rows: number;
  bytes: number;
  /** The store refuses its data. */
  isPoison: boolean;
  isBulk: boolean;
}

/** A store that keeps every batch waiting until the test says what becomes of it. */
function createScriptedStore() {
  const pending: { jobs: readonly Job[]; writer: number; settle(outcome: Outcome): void }[] = [];
  const committed = new Set<number>();
  const write = (jobs: readonly Job[], writer: number): Promise<PromiseSettledResult<string>[]> =>
    new Promise((resolve, reject) => {
      const settle = (outcome: Outcome): void => {
        pending.splice(pending.indexOf(entry), 1);
        if (outcome === "away") reject(new AppError("store_unavailable", "away"));
        else if (jobs.some((job) => job.isPoison)) reject(new Error("a value is wrong"));
        else {
          for (const job of jobs) committed.add(job.id);
          resolve(
            jobs.map((job, index) =>
              // The commit holds, but what came after it failed for this job.
              outcome === "lost answer" && index % 2 === 0
                ? { status: "rejected", reason: new AppError("store_unavailable", "away") }
                : { status: "fulfilled", value: `stored ${job.id}` },
            ),
          );
        }
      };
      const entry = { jobs, writer, settle };
      pending.push(entry);
    });
  return { pending, committed, write };
}

type Outcome = "commit" | "away" | "lost answer";

const bounds = { batchRowsMax: 8, rowsMax: 40, bytesMax: 1_000 };

function createQueue(store: ReturnType<typeof createScriptedStore>, changes: Partial<typeof bounds> = {}) {
  const sleepers: (() => void)[] = [];
  const queue: GroupCommit<Job, string> = createGroupCommit({
    write: store.write,
    sizeOf: ({ rows, bytes, isBulk }) => ({ rows, bytes, isBulk }),
    sleep: () => new Promise((resolve) => sleepers.push(resolve)),
    ...bounds,
    ...changes,
  });
  return { queue, sleepers };
}

let lastId = 0;
function job(changes: Partial<Job> = {}): Job {
  lastId += 1;
  return { id: lastId, rows: 1, bytes: 10, isPoison: false, isBulk: false, ...changes };
}

/** Lets every promise that can go on do so. */
async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

describe("whatever is submitted and whatever becomes of the batches", () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("submit" as const),
        rows: fc.integer({ min: 1, max: 12 }),
        bytes: fc.integer({ min: 1, max: 200 }),
        isPoison: fc.nat(7).map((one) => one === 0),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("submit" as const),
        rows: fc.constantFrom(41, 1, 60),
        bytes: fc.constantFrom(1, 1_001),
        isPoison: fc.constant(false),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("settle" as const),
        which: fc.nat(2),
        outcome: fc.constantFrom<Outcome>("commit", "commit", "away", "lost answer"),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("wake" as const) }) },
  );

  test("each waiter is answered exactly once, only what the store committed is acknowledged, and no bound is passed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const store = createScriptedStore();
        const { queue, sleepers } = createQueue(store);
        const answers = new Map<number, { times: number; acknowledged: boolean; code?: string | undefined }>();
        const submitted: Job[] = [];
        let inHand: Job[] = [];

        const submit = (wanted: Job): void => {
          submitted.push(wanted);
          inHand.push(wanted);
          const settled = (acknowledged: boolean, code?: string): void => {
            inHand = inHand.filter((other) => other !== wanted);
            answers.set(wanted.id, { times: (answers.get(wanted.id)?.times ?? 0) + 1, acknowledged, code });
          };
          queue.submit(wanted).then(
            (answer) => {
              expect(answer).toBe(`stored ${wanted.id}`);
              expect(store.committed.has(wanted.id)).toBe(true);
              settled(true);
            },
            (thrown) => settled(false, thrown.code),
          );
        };
        const checkBounds = (): void => {
          const isOversize = ({ rows, bytes }: Job): boolean => rows > bounds.rowsMax || bytes > bounds.bytesMax;
          const ordinary = inHand.filter((one) => !isOversize(one));
          expect(ordinary.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(bounds.rowsMax);
          expect(ordinary.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(bounds.bytesMax);
          expect(inHand.filter(isOversize).length).toBeLessThanOrEqual(1);
          expect(queue.depth().rows).toBe(inHand.reduce((sum, { rows }) => sum + rows, 0));
          for (const { jobs } of store.pending) {
            const rows = jobs.reduce((sum, one) => sum + one.rows, 0);
            expect(rows <= bounds.batchRowsMax || jobs.length === 1).toBe(true);
          }
          expect(new Set(store.pending.map(({ writer }) => writer)).size).toBe(store.pending.length);
        };

        for (const next of steps) {
          if (next.do === "submit") submit(job(next));
          else if (next.do === "settle")
            store.pending[next.which % Math.max(store.pending.length, 1)]?.settle(next.outcome);
          else for (const wake of sleepers.splice(0)) wake();
          await settlePromises();
          checkBounds();
        }
        // From here on the store works: everything is answered.
        const stopped = queue.stop();
        while (store.pending.length > 0 || sleepers.length > 0) {
          for (const { settle } of [...store.pending]) settle("commit");
          for (const wake of sleepers.splice(0)) wake();
          await settlePromises();
          checkBounds();
        }
        await stopped;

        for (const { id, isPoison } of submitted) {
          const answer = answers.get(id);
          expect(answer?.times).toBe(1);
          if (isPoison) expect(answer?.acknowledged).toBe(false);
          else if (!answer?.acknowledged) expect(["queue_full", "store_unavailable"]).toContain(answer?.code);
          if (answer?.code === "queue_full") expect(store.committed.has(id)).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("batches", () => {
  test("start at once, and take all that came together or while one was written", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store);
    const answers = [queue.submit(job()), queue.submit(job())];
    await settlePromises();
    expect(store.pending.map(({ jobs }) => jobs.length)).toEqual([2]);

    answers.push(...Array.from({ length: 5 }, () => queue.submit(job())));
    await settlePromises();
    expect(store.pending.map(({ jobs }) => jobs.length)).toEqual([2]);
    store.pending[0]?.settle("commit");
    await settlePromises();
    expect(store.pending.map(({ jobs }) => jobs.length)).toEqual([5]);
    store.pending[0]?.settle("commit");
    await Promise.all(answers);
  });

  test("are written by a second writer only when enough rows wait", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store, { batchRowsMax: 256, rowsMax: 1_000 });
    void queue.submit(job());
    await settlePromises();
    for (let count = 0; count < 31; count += 1) void queue.submit(job());
    await settlePromises();
    expect(store.pending.map(({ writer }) => writer)).toEqual([0]);

    void queue.submit(job());
    await settlePromises();
    expect(store.pending.map(({ writer, jobs }) => [writer, jobs.length])).toEqual([
      [0, 1],
      [1, 32],
    ]);
  });

  test("are shared by two idle writers when both get enough", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store, { batchRowsMax: 256, rowsMax: 1_000, bytesMax: 10_000 });
    for (let count = 0; count < 200; count += 1) void queue.submit(job());
    await settlePromises();
    expect(store.pending.map(({ writer, jobs }) => [writer, jobs.length])).toEqual([
      [0, 100],
      [1, 100],
    ]);
  });

  test("are not shared when one job is all there is", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store, { batchRowsMax: 256, rowsMax: 1_000 });
    void queue.submit(job({ rows: 200 }));
    await settlePromises();
    expect(store.pending.map(({ writer, jobs }) => [writer, jobs.length])).toEqual([[0, 1]]);
  });

  test("leave a large job to a writer of its own, and small ones keep flowing", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store, { batchRowsMax: 256, rowsMax: 10_000 });
    void queue.submit(job({ rows: 5_000 }));
    const small = queue.submit(job());
    await settlePromises();
    expect(store.pending.map(({ writer, jobs }) => [writer, jobs[0]?.rows])).toEqual([
      [0, 1],
      [2, 5_000],
    ]);

    store.pending[0]?.settle("commit");
    await expect(small).resolves.toMatch("stored");
  });

  test("leave a job of an import to that writer too, however small, and never wait for it", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store, { batchRowsMax: 256, rowsMax: 10_000 });
    void queue.submit(job({ rows: 2, isBulk: true }));
    void queue.submit(job({ rows: 3, isBulk: true }));
    const single = queue.submit(job());
    await settlePromises();
    expect(store.pending.map(({ writer, jobs }) => [writer, jobs.map(({ rows }) => rows)])).toEqual([
      [0, [1]],
      [2, [2]],
    ]);

    store.pending[0]?.settle("commit");
    await expect(single).resolves.toMatch("stored");
  });
});

describe("a batch that fails", () => {
  test("for the data of one job fails that job alone", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store);
    const jobs = [job(), job({ isPoison: true }), job(), job()];
    const answers = Promise.allSettled(jobs.map((one) => queue.submit(one)));
    await settlePromises();
    while (store.pending.length > 0) {
      store.pending[0]?.settle("commit");
      await settlePromises();
    }

    expect((await answers).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  });

  test("for a passing reason is tried once more after a pause", async () => {
    const store = createScriptedStore();
    const { queue, sleepers } = createQueue(store);
    const answer = queue.submit(job());
    await settlePromises();
    store.pending[0]?.settle("away");
    await settlePromises();
    expect([store.pending.length, sleepers.length]).toEqual([0, 1]);

    sleepers[0]?.();
    await settlePromises();
    store.pending[0]?.settle("commit");
    await expect(answer).resolves.toMatch("stored");
  });

  test("for a passing reason twice is reported as an outage that may be retried", async () => {
    const store = createScriptedStore();
    const { queue, sleepers } = createQueue(store);
    const answer = queue.submit(job());
    await settlePromises();
    store.pending[0]?.settle("away");
    await settlePromises();
    sleepers[0]?.();
    await settlePromises();
    store.pending[0]?.settle("away");

    await expect(answer).rejects.toMatchObject({
      code: "store_unavailable",
      message: "Trace storage is unavailable - the span was not stored; retry.",
    });
  });
});

describe("a full queue", () => {
  test("refuses what does not fit, by rows and by bytes, and takes it once there is room", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store);
    void queue.submit(job({ rows: 38 }));
    await expect(queue.submit(job({ rows: 3 }))).rejects.toMatchObject({
      code: "queue_full",
      message: "Ingest queue is full - retry with backoff (Retry-After: 1s).",
    });
    await expect(queue.submit(job({ bytes: 995 }))).rejects.toMatchObject({ code: "queue_full" });
    expect(() => queue.requireRoom(3)).toThrow("Ingest queue is full");
    expect(() => queue.requireRoom(2)).not.toThrow();
    const fitting = queue.submit(job({ rows: 2, bytes: 100 }));

    await settlePromises();
    store.pending[0]?.settle("commit");
    await settlePromises();
    store.pending[0]?.settle("commit");
    await expect(fitting).resolves.toMatch("stored");
  });

  test("does not keep an export larger than itself out for good: it comes in when nothing waits", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store);
    const writing = queue.submit(job());
    await settlePromises();
    const waiting = queue.submit(job());
    await expect(queue.submit(job({ rows: 41 }))).rejects.toMatchObject({ code: "queue_full" });

    store.pending[0]?.settle("commit");
    await writing;
    await settlePromises();
    const oversize = queue.submit(job({ rows: 41 }));
    await expect(queue.submit(job({ rows: 41 }))).rejects.toMatchObject({ code: "queue_full" });
    const meanwhile = queue.submit(job({ rows: 30 }));
    expect(queue.depth()).toEqual({ rows: 72, rowsMax: 72 });
    for (let turn = 0; turn < 3; turn += 1) {
      await settlePromises();
      for (const { settle } of [...store.pending]) settle("commit");
      await settlePromises();
    }
    await Promise.all([waiting, oversize, meanwhile]);
  });
});

test("a stop answers all that was admitted and admits nothing more", async () => {
  const store = createScriptedStore();
  const { queue } = createQueue(store);
  const admitted = [queue.submit(job())];
  await settlePromises();
  admitted.push(queue.submit(job()));
  let isStopped = false;
  const stopped = queue.stop().then(() => {
    isStopped = true;
  });
  await expect(queue.submit(job())).rejects.toMatchObject({ code: "store_unavailable" });
  for (let turn = 0; turn < 2; turn += 1) {
    expect(isStopped).toBe(false);
    store.pending[0]?.settle("commit");
    await settlePromises();
  }

  await stopped;
  expect(await Promise.all(admitted)).toHaveLength(2);
});
