import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bounds,
  createQueue,
  createScriptedStore,
  type Job,
  job,
  type Outcome,
  settlePromises,
  tenantOf,
} from "./scripted-commits.ts";

describe("whatever is submitted and whatever becomes of the batches", () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("submit" as const),
        rows: fc.integer({ min: 1, max: 12 }),
        bytes: fc.integer({ min: 1, max: 200 }),
        isPoison: fc.nat(7).map((one) => one === 0),
        project: fc.constantFrom("one", "one", "two", "three"),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("submit" as const),
        rows: fc.constantFrom(41, 1, 60),
        bytes: fc.constantFrom(1, 1_001),
        isPoison: fc.constant(false),
        project: fc.constantFrom("one", "two"),
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

  test("each waiter is answered exactly once, only committed jobs are acknowledged, and no limit is exceeded", async () => {
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
          const sum = (jobs: readonly Job[], of: "rows" | "bytes") => jobs.reduce((total, one) => total + one[of], 0);
          expect(sum(ordinary, "rows")).toBeLessThanOrEqual(bounds.rowsMax * 1.5);
          expect(sum(ordinary, "bytes")).toBeLessThanOrEqual(bounds.bytesMax * 1.5);
          for (const own of Map.groupBy(ordinary, ({ project }) => project).values()) {
            expect(sum(own, "rows")).toBeLessThanOrEqual(bounds.rowsMax);
            expect(sum(own, "bytes")).toBeLessThanOrEqual(bounds.bytesMax);
          }
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

  test("leave a large job to a separate writer, and small ones keep flowing", async () => {
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

test("large jobs of different projects are written in turn, not in the order they came", async () => {
  const store = createScriptedStore();
  const { queue } = createQueue(store, { batchRowsMax: 256, rowsMax: 100_000, bytesMax: 1_000_000 });
  for (let count = 0; count < 3; count += 1) void queue.submit(job({ rows: 5_000 }));
  void queue.submit(job({ rows: 5_000, project: "two" }));
  const written: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    await settlePromises();
    written.push(store.pending[0]?.jobs[0]?.project ?? "none");
    store.pending[0]?.settle("commit");
  }

  expect(written).toEqual(["one", "two", "one", "one"]);
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
  test("refuses jobs beyond the limits of rows and bytes, and accepts them once there is space", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store);
    void queue.submit(job({ rows: 38 }));
    await expect(queue.submit(job({ rows: 3 }))).rejects.toMatchObject({
      code: "queue_full",
      message: "Ingest queue is full - retry with backoff (Retry-After: 1s).",
    });
    await expect(queue.submit(job({ bytes: 995 }))).rejects.toMatchObject({ code: "queue_full" });
    expect(() => queue.requireRoom(3, tenantOf(job()))).toThrow("Ingest queue is full");
    expect(() => queue.requireRoom(2, tenantOf(job()))).not.toThrow();
    const fitting = queue.submit(job({ rows: 2, bytes: 100 }));

    await settlePromises();
    store.pending[0]?.settle("commit");
    await settlePromises();
    store.pending[0]?.settle("commit");
    await expect(fitting).resolves.toMatch("stored");
  });

  test("is full for the project that filled it: others are admitted, the more they are with less each", async () => {
    const store = createScriptedStore();
    const { queue } = createQueue(store);
    const submitAll = async (project: string): Promise<number> => {
      for (let admitted = 0; ; admitted += 1) {
        const refused = await Promise.race([
          queue.submit(job({ project })).then(
            () => false,
            () => true,
          ),
          settlePromises().then(() => false),
        ]);
        if (refused) return admitted;
      }
    };
    expect(await submitAll("one")).toBe(40);
    expect(await submitAll("two")).toBe(13);
    expect(await submitAll("three")).toBeGreaterThan(1);

    // Once all is written the first one has the whole again.
    while (store.pending.length > 0) {
      store.pending[0]?.settle("commit");
      await settlePromises();
    }
    expect(await submitAll("one")).toBe(40);
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
