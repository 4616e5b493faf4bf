import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Call, createReadTurns } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import type { CostEstimator } from "../src/pricing/cost-estimator.ts";
import type { TraceStore } from "../src/trace-store/trace-store.ts";
import { listTraces } from "../src/traces/list-traces.ts";

const projectId = "01890a5d-ac96-774b-bcce-b302099a8057";

test("a large page of traces takes no memory while the project's other lists have their turns", async () => {
  const others = Array.from({ length: availableParallelism() }, () => createReadTurns("ingest").open(projectId));
  const begun = others.map((turn) => turn.begin());
  await begun[0];

  const reserved: number[] = [];
  const page = { items: [], lastId: null, hasNextPage: false, isCut: false, totalCount: 0 };
  const listRoots = async (_query: unknown, { makeRoom }: { makeRoom(bytes: number): Promise<void> }) => {
    await makeRoom(1_000);
    return page;
  };
  const answered = listTraces({
    traces: { listRoots } as unknown as TraceStore,
    costs: {} as CostEstimator,
  })({
    query: {},
    identity: { projectId, organizationId: null },
    makeRoom: async (bytes: number) => void reserved.push(bytes),
  } as unknown as Call);
  await nextTurn();
  expect(reserved).toEqual([]);

  for (const turn of others) turn.end();
  expect((await answered).status).toBe(200);
  expect(reserved).toEqual([1_000]);
});
