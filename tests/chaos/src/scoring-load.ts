import { waitUntil } from "../../integration/src/wait-until.ts";
import { type Grading, namedResults, numbered } from "./graded-run.ts";

/** Clients that each submit batches of three to a run, until stopped. */
export function startScoringLoad(grading: Grading, count: number) {
  let isOver = false;
  let batches = 0;
  const sides = numbered("side", count).map(async (side) => {
    const run = await grading.startRun();
    const names: string[] = [];
    const failures: unknown[] = [];
    for (let batch = 0; !isOver; batch += 1) {
      const batchNames = numbered(`${side}-${batch}`, 3);
      names.push(...batchNames);
      const { status, body } = await run.submit(namedResults(batchNames));
      const isScored = status === 200 && body.scoredResults.every((result) => result.status === "scored");
      if (!isScored) failures.push({ status, body });
      batches += 1;
    }
    return { run, names, failures };
  });
  return {
    async awaitBatches(more: number) {
      const wanted = batches + more;
      await waitUntil(`${more} more batches are answered`, async () => batches >= wanted);
    },
    async stop() {
      isOver = true;
      return Promise.all(sides);
    },
  };
}
