import { AppError } from "@touchstone/service-kit";
import { createGroupCommit, type GroupCommit } from "../src/recording/group-commit.ts";

export interface Job {
  id: number;
  rows: number;
  bytes: number;
  /** The store refuses its data. */
  isPoison: boolean;
  isBulk: boolean;
  project: string;
}

/** A store that keeps every batch waiting until the test decides its outcome. */
export function createScriptedStore() {
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
              // The commit succeeds, but a later step failed for this job.
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

export const tenantOf = ({ project }: Job) => ({ projectId: project, organizationId: null });

export type Outcome = "commit" | "away" | "lost answer";

export const bounds = { batchRowsMax: 8, rowsMax: 40, bytesMax: 1_000 };

export function createQueue(store: ReturnType<typeof createScriptedStore>, changes: Partial<typeof bounds> = {}) {
  const sleepers: (() => void)[] = [];
  const queue: GroupCommit<Job, string> = createGroupCommit({
    write: store.write,
    sizeOf: ({ rows, bytes, isBulk }) => ({ rows, bytes, isBulk }),
    tenantOf,
    sleep: () => new Promise((resolve) => sleepers.push(resolve)),
    ...bounds,
    ...changes,
  });
  return { queue, sleepers };
}

let lastId = 0;
export function job(changes: Partial<Job> = {}): Job {
  lastId += 1;
  return { id: lastId, rows: 1, bytes: 10, isPoison: false, isBulk: false, project: "one", ...changes };
}

/** Lets every promise that can go on do so. */
export async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
