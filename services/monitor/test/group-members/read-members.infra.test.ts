import type { Database, Statement } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEvaluatorStore } from "../../src/custom-evaluators/evaluator-store.ts";
import { findMembers } from "../../src/group-members/read-members.ts";
import { composePatternDocument } from "../../src/patterns/pattern-document.ts";
import { createPatternStore, putPattern } from "../../src/patterns/pattern-store.ts";
import { openTestStore, type TestStore } from "../test-store.ts";

let store: TestStore;

beforeAll(async () => {
  store = await openTestStore();
});

afterAll(() => store?.close());

/** Stores disabled patterns of 1.6 MB each; answers their ids. */
async function storePatterns(projectId: string, count: number): Promise<string[]> {
  const terms = Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(4_000, "x"));
  const at = new Date();
  const patterns = Array.from({ length: count }, (_, number) => ({
    id: uuidv7(Date.now() + number),
    key: `custom:${number}`,
    document: composePatternDocument(
      { name: `Large ${number}`, includeTerms: terms, excludeTerms: terms, enabled: false },
      null,
    ),
    ...{ createdAt: at, updatedAt: at },
  }));
  await store.database.scoped([projectId], async (transaction) => {
    for (const pattern of patterns) await putPattern(transaction, projectId, pattern);
  });
  return patterns.map(({ id }) => id);
}

/** Looks up patterns; answers their names, and the characters of the largest result of a statement. */
async function findNames(projectId: string, ids: readonly string[]): Promise<{ names: string[]; largest: number }> {
  let largest = 0;
  const readScoped = async (projects: readonly string[], statement: Statement) => {
    const answer = await store.database.readScoped(projects, statement);
    largest = Math.max(largest, JSON.stringify(answer.rows).length);
    return answer;
  };
  const database: Database = { ...store.database, readScoped: readScoped as Database["readScoped"] };
  const stores = { patterns: createPatternStore(database), evaluators: createEvaluatorStore(database) };
  const references = ids.map((refId) => ({ kind: "pattern" as const, refId }));
  const names = (await findMembers(stores, projectId, references)).map(({ name }) => name);
  return { names, largest };
}

test("members that are large patterns are read in parts of bounded size", async () => {
  const projectId = crypto.randomUUID();
  const ids = await storePatterns(projectId, 6);

  const { names, largest } = await findNames(projectId, [...ids.toReversed(), crypto.randomUUID()]);

  expect(names).toEqual([5, 4, 3, 2, 1, 0].map((number) => `Large ${number}`));
  expect(largest).toBeLessThan(4 * 1024 * 1024);
});

test("members that are larger together than a group may have are refused", async () => {
  const projectId = crypto.randomUUID();
  const ids = await storePatterns(projectId, 12);

  await expect(findNames(projectId, ids)).rejects.toMatchObject({
    code: "bad_request",
    message: "The patterns and custom scorers of a scorer group have at most 7340032 bytes together",
  });
});
