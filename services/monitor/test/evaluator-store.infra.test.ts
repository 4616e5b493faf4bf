import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { createEvaluatorStore } from "../src/custom-evaluators/evaluator-store.ts";
import { useTestStore } from "./test-store.ts";

const store = useTestStore();

/** Waits until this many connections wait for a lock. */
const untilWaiting = (count: number) =>
  vi.waitFor(async () => {
    const waiting = `
      select
      from pg_locks
      join pg_stat_activity using (pid)
      where not granted
        and datname = current_database()`;
    expect(await store.query(waiting)).toHaveLength(count);
  });

test("a change that overlaps the deletion of a custom scorer does not bring it back", async () => {
  const evaluators = createEvaluatorStore(store.database);
  const projectId = randomUUID();
  const act = { projectId, organizationId: null, actor: { type: "key" as const, id: projectId }, requestId: "r" };
  const document = {
    ...({ name: "Mine", kind: "code", script: "function handler() {}", scopeMode: "all", severity: "low" } as const),
    ...{ sampleRate: 1, agentIds: [], enabled: true, invertMatch: false, alertBelow: 0.5 },
  };
  const { id } = await evaluators.create(projectId, document, new Date(), act);
  const { deleting, changing } = await store.database.scoped([projectId], async (transaction) => {
    // Whatever was begun first also goes on first.
    await transaction.query({
      name: "hold_evaluator",
      text: "select from monitor.custom_evaluators where project_id = $1 and id = $2 for update",
      values: [projectId, id],
    });
    const deleting = evaluators.delete(projectId, id, act);
    await untilWaiting(1);
    const changing = evaluators.update(projectId, id, { now: new Date(), compose: (stored) => stored, act });
    await untilWaiting(2);
    return { deleting, changing };
  });

  expect(await deleting).toBe(true);
  expect(await changing).toBeNull();
  expect(await evaluators.find(projectId, id)).toBeNull();
});
