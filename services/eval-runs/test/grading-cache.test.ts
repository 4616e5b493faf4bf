import { expect, test } from "vitest";
import { composeDatasetDocument } from "../src/datasets/dataset-document.ts";
import type { DatasetStore } from "../src/datasets/dataset-store.ts";
import { createGradingCache } from "../src/datasets/grading-cache.ts";

const body = { name: "n", questions: [{ main_question: { query: "q" } }] };
const document = composeDatasetDocument({ text: JSON.stringify(body), value: body }, () => "id");

function createCache(documents: number) {
  const reads: string[] = [];
  const datasets = {
    readVersion: async (_projectId: string, id: string, version: number) => {
      reads.push(`${id}.${version}`);
      return document;
    },
  } as unknown as DatasetStore;
  return { reads, readGrading: createGradingCache(datasets, documents * document.length) };
}

test("a version is read and parsed once; another version or project is another one", async () => {
  const { reads, readGrading } = createCache(10);

  const first = await readGrading("project", "a", 1);
  expect(await readGrading("project", "a", 1)).toBe(first);
  await readGrading("project", "a", 2);
  await readGrading("other", "a", 1);

  expect(reads).toEqual(["a.1", "a.2", "a.1"]);
});

test("the versions used last are kept, as many as fit", async () => {
  const { reads, readGrading } = createCache(2);

  for (const id of ["a", "b", "a", "c"]) await readGrading("project", id, 1);
  expect(reads).toEqual(["a.1", "b.1", "c.1"]);
  for (const id of ["a", "c", "b"]) await readGrading("project", id, 1);
  expect(reads).toEqual(["a.1", "b.1", "c.1", "b.1"]);
});
