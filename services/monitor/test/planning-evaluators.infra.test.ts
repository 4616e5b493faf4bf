import { randomUUID } from "node:crypto";
import type { Queryable } from "@touchstone/db";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCustomCheck } from "../src/custom-evaluators/custom-check.ts";
import type { EvaluatorDocument } from "../src/custom-evaluators/evaluator.ts";
import { createEvaluatorStore, type EvaluatorStore } from "../src/custom-evaluators/evaluator-store.ts";
import { buildSettledTrace } from "./builders.ts";
import { openTestStore, type TestStore } from "./test-store.ts";

let store: TestStore;
let evaluators: EvaluatorStore;

beforeAll(async () => {
  store = await openTestStore();
  evaluators = createEvaluatorStore(store.database);
});

afterAll(() => store?.close());

const document: EvaluatorDocument = {
  ...({ name: "Mine", kind: "code", language: "javascript", scopeMode: "all", severity: "low" } as const),
  ...{
    script: "function handler() {}",
    sampleRate: 1,
    agentIds: [],
    enabled: true,
    invertMatch: false,
    alertBelow: 0.5,
  },
};

const actIn = (projectId: string) => ({
  projectId,
  organizationId: null,
  actor: { type: "key" as const, id: projectId },
  requestId: "r",
});

const create = async (projectId: string, changes: Partial<EvaluatorDocument>): Promise<string> =>
  (await evaluators.create(projectId, { ...document, ...changes }, new Date(), actIn(projectId))).id;

/** The scorers that a trace of an agent is due, and the characters that were read to choose them. */
async function plan(
  projectId: string,
  agentId: string,
  { database } = store,
): Promise<{ scorerIds: string[]; chars: number }> {
  const check = createCustomCheck({} as Parameters<typeof createCustomCheck>[0]);
  let chars = 0;
  const planned = await database.scoped([projectId], (transaction) => {
    const query: Queryable["query"] = async (statement) => {
      const answer = await transaction.query(statement);
      chars += JSON.stringify(answer.rows).length;
      return answer as never;
    };
    return check.plan(buildSettledTrace({ projectId, agentId }), { ...transaction, query });
  });
  return { scorerIds: planned.map(({ scorerId }) => scorerId).sort(), chars };
}

describe("the custom scorers that a trace is due", () => {
  test("are chosen without their scripts, however many there are", async () => {
    const [projectId, agentId] = [randomUUID(), randomUUID()];
    const script = "x".repeat(64 * 1024);
    const due: string[] = [];
    for (let at = 0; at < 10; at += 1) {
      due.push(
        await create(projectId, { script, scopeMode: "selected", agentIds: [agentId, "another".repeat(1_000)] }),
      );
      await create(projectId, { script, enabled: false });
    }

    const { scorerIds, chars } = await plan(projectId, agentId);

    expect(scorerIds).toEqual(due.sort());
    expect(chars).toBeLessThan(10_000);
  });

  test("are chosen by their content after every change", async () => {
    const [projectId, agentId] = [randomUUID(), randomUUID()];
    const id = await create(projectId, {});
    const isDueAfter = async (changes: Partial<EvaluatorDocument>): Promise<boolean> => {
      const change = { now: new Date(), compose: () => ({ ...document, ...changes }), act: actIn(projectId) };
      await evaluators.update(projectId, id, change);
      return (await plan(projectId, agentId)).scorerIds.includes(id);
    };

    expect((await plan(projectId, agentId)).scorerIds).toEqual([id]);
    expect(await isDueAfter({ enabled: false })).toBe(false);
    expect(await isDueAfter({ name: "Renamed" })).toBe(true);
    expect(await isDueAfter({ sampleRate: 0 })).toBe(false);
    expect(await isDueAfter({ scopeMode: "selected", agentIds: [randomUUID()] })).toBe(false);
    expect(await isDueAfter({ scopeMode: "selected", agentIds: [randomUUID(), agentId] })).toBe(true);
    // A text that the JSON operators of PostgreSQL refuse.
    const nul = { ...document, name: "NUL \0", agentIds: [agentId] };
    for (const enabled of [true, false]) {
      const values = [projectId, JSON.stringify({ ...nul, enabled })];
      await store.query("update monitor.custom_evaluators set document = $2 where project_id = $1", values);
      expect((await plan(projectId, agentId)).scorerIds).toEqual(enabled ? [id] : []);
    }
    expect(await isDueAfter({})).toBe(true);
    await evaluators.delete(projectId, id, actIn(projectId));
    expect((await plan(projectId, agentId)).scorerIds).toEqual([]);
  });

  test("are those that a previous version stored before and after the upgrade", async () => {
    const upgraded = await openTestStore({ before: "0018" });
    const [projectId, agentId] = [randomUUID(), randomUUID()];
    const ids = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const insert = (id: string, changes: Partial<EvaluatorDocument>) =>
      upgraded.query(
        `
          insert into monitor.custom_evaluators (project_id, id, document, created_at, updated_at)
          values ($1, $2, $3, now(), now())`,
        [projectId, id, JSON.stringify({ ...document, ...changes })],
      );
    try {
      await insert(ids[0] as string, {});
      await insert(ids[1] as string, { enabled: false });
      await upgraded.upgrade();
      await insert(ids[2] as string, { scopeMode: "selected", agentIds: [agentId] });
      await insert(ids[3] as string, { sampleRate: 0 });

      const { scorerIds } = await plan(projectId, agentId, upgraded);
      expect(scorerIds).toEqual([ids[0], ids[2]].toSorted());
    } finally {
      await upgraded.close();
    }
  });
});
