import { createBoundedCache } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { composeDatasetDocument } from "../src/datasets/dataset-document.ts";
import { planOfDataset, writePlan } from "../src/grading/plan.ts";
import { createGradings } from "../src/runs/gradings.ts";
import { createKnownIntervals, type KnownIntervals } from "../src/runs/known-intervals.ts";
import { createRunShower } from "../src/runs/show-runs.ts";

const body = { name: "n", questions: [{ main_question: { query: "q" } }] };
const document = composeDatasetDocument({ text: JSON.stringify(body), value: body }, () => "id");
const frozen = planOfDataset({ id: "config", document: '{"name":"frozen"}' });

function create(documents = 10) {
  const reads: string[] = [];
  const gradings = createGradings({
    datasets: {
      readVersion: async (_projectId, id, version) => {
        reads.push(`${id}.${version}`);
        return document;
      },
    },
    runs: {
      readPlan: async (_projectId, id) => {
        reads.push(id);
        return id === "gone" ? null : { plan: id === "old" ? null : writePlan(frozen) };
      },
    },
    charsMax: documents * document.length,
  });
  return { reads, gradings };
}

test("a dataset version is read and parsed once; another version or project is another one", async () => {
  const { reads, gradings } = create();

  const first = await gradings.ofDataset("project", "a", 1);
  expect(await gradings.ofDataset("project", "a", 1)).toBe(first);
  await gradings.ofDataset("project", "a", 2);
  await gradings.ofDataset("other", "a", 1);

  expect(reads).toEqual(["a.1", "a.2", "a.1"]);
});

test("the versions used last are kept, as many as fit", async () => {
  const { reads, gradings } = create(2);

  for (const id of ["a", "b", "a", "c"]) await gradings.ofDataset("project", id, 1);
  expect(reads).toEqual(["a.1", "b.1", "c.1"]);
  for (const id of ["a", "c", "b"]) await gradings.ofDataset("project", id, 1);
  expect(reads).toEqual(["a.1", "b.1", "c.1", "b.1"]);
});

test("runs of one version share its cases, and each keeps its plan until it is replaced", async () => {
  const { reads, gradings } = create();
  const run = (id: string) => ({ id, datasetId: "a", datasetVersion: 1, planRevision: 0 });

  const one = await gradings.ofRun("project", run("one"));
  const other = await gradings.ofRun("project", run("other"));
  await gradings.ofRun("project", run("one"));

  expect(one).toEqual({ plan: frozen, cases: [expect.objectContaining({ query: "q" })], numberOfRequests: 1 });
  expect(other.cases).toBe(one.cases);
  expect(reads).toEqual(["one", "a.1", "other"]);

  await gradings.ofRun("project", { ...run("one"), planRevision: 1 });
  expect(reads).toEqual(["one", "a.1", "other", "one"]);
});

test("a run of before plans were frozen is graded by its dataset version; one without a dataset has no cases", async () => {
  const { gradings } = create();

  const old = await gradings.ofRun("project", { id: "old", datasetId: "a", datasetVersion: 1, planRevision: 0 });
  expect(old).toEqual(await gradings.ofDataset("project", "a", 1));
  const alone = await gradings.ofRun("project", {
    id: "new",
    datasetId: "config",
    datasetVersion: null,
    planRevision: 0,
  });
  expect(alone).toEqual({ plan: frozen, cases: [], numberOfRequests: 1 });
});

test("a value larger than a cache is not kept, and does not evict others permanently", () => {
  const cache = createBoundedCache<string>(10);
  cache.set("large", "x", 11);
  expect(cache.get("large")).toBeUndefined();
  cache.set("a", "a", 5);
  cache.set("a", "b", 10);
  expect(cache.get("a")).toBe("b");
});

test("a run that is deleted while it is shown is left out", async () => {
  const { gradings } = create();
  const names = { find: async () => new Map([["a", "Orders"]]) };
  const run = (id: string) =>
    ({ id, datasetId: "a", datasetVersion: 1, planRevision: 0, status: "completed" }) as never;
  const isCiRun = async (): Promise<boolean> => false;
  const shown = await createRunShower({ names, gradings, isCiRun }).show("project", [run("gone"), run("here")]);
  expect(shown).toMatchObject([{ stored: { id: "here" }, datasetName: "Orders" }]);
});

test("the interval of a run is another one once its ratings are, also if their sum is the same", async () => {
  const estimate = (intervals: KnownIntervals, ratings: number[]) =>
    intervals.estimate("project", { id: "run", status: "completed" }, ratings, new AbortController().signal);
  const kept = createKnownIntervals();
  const before = await estimate(kept, [10, 4, 10, 4]);
  const after = await estimate(kept, [7, 7, 7, 7]);
  expect(after).not.toEqual(before);
  expect(after).toEqual(await estimate(createKnownIntervals(), [7, 7, 7, 7]));
});
