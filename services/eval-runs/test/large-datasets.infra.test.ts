import { describe, expect, test } from "vitest";
import { useProject, useService, useTestSystem } from "./test-system.ts";

const system = useTestSystem();
const running = useService(system);
const client = useProject(running);

/** A case of 100 KB, with characters of all lengths. */
const long = (query: string) => ({ main_question: { query, expectedResults: "é 中 🙂 \\ \n".repeat(7_000) } });
const short = (query: string) => ({ main_question: { query } });

/** The computations that threads have done, by task, while `work` ran. */
async function threadsUsed(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await countComputed();
  await work();
  const after = await countComputed();
  const counts = Object.entries(after).map(([task, count]) => [task, count - (before[task] ?? 0)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

async function countComputed(): Promise<Record<string, number>> {
  const text = await running.metricsText();
  const lines = text.matchAll(/^service_compute_ended_total\{([^}]*)\} (\d+)$/gm);
  return Object.fromEntries(
    [...lines].map(([, labels = "", count]) => [
      `${/task="(\w+)"/.exec(labels)?.[1]} ${/outcome="(\w+)"/.exec(labels)?.[1]}`,
      Number(count),
    ]),
  );
}

const read = async (id: string) => (await client.send("GET", `/datasets/${id}`)).body;

describe("a large dataset", () => {
  test("is composed, changed and compared in threads, and comes back letter by letter", async () => {
    const text = `{"name":"n", "metadata": {"k" : 1e400},"questions": [ ${JSON.stringify(long("one"))},{"main_question":{"query":"\\ud800"}}]}`;
    let id = "";
    expect(
      await threadsUsed(async () => {
        const created = await client.send("POST", "/datasets", text);
        expect(created).toMatchObject({ status: 201, body: { version: 1, name: "n" } });
        id = created.body._id;
        const questions = text.slice(text.indexOf("[ "), -1);
        expect(created.text.includes(`"questions":${questions}`)).toBe(true);
        expect((await client.send("GET", `/datasets/${id}`)).text).toBe(created.text);
      }),
    ).toEqual({ "composeDataset ok": 1 });

    expect(
      await threadsUsed(async () => {
        const questions = [long("one"), long("two")];
        const replaced = await client.send("PUT", `/datasets/${id}?version=1`, { name: "m", questions });
        expect(replaced).toMatchObject({ status: 200, body: { version: 2, name: "m", questions } });
      }),
    ).toEqual({ "composeDataset ok": 1, "editDataset ok": 1 });
    const versions = await client.sendTo("GET", `/api/v1/evaluate/datasets/${id}/versions`);
    expect(versions.body[0]).toMatchObject({
      changeSummary: "1 case added, 1 case removed, renamed, metadata changed",
    });

    expect(
      await threadsUsed(async () => {
        const put = await client.send("PUT", `/datasets/${id}/cases/2?version=2`, short("three"));
        expect(put).toMatchObject({ status: 201, body: { version: 3, caseCount: 3, case: short("three") } });
        expect(await client.send("DELETE", `/datasets/${id}/cases/0?version=3`)).toMatchObject({
          body: { version: 4, caseCount: 2 },
        });
      }),
    ).toEqual({ "editDataset ok": 2 });
    expect((await read(id)).questions).toEqual([long("two"), short("three")]);
  });

  test("names the same mistakes in the same order as a small one", async () => {
    const { body } = await client.send("POST", "/datasets", { name: "n", questions: [long("one")] });
    const id = body._id;
    const unreadable = `{"name":"n","questions":[${JSON.stringify(long("one"))}`;
    const wrong = { name: "n", questions: [long("one"), {}] };
    const sentence = "Each question must have main_question.query";

    expect(await client.send("POST", "/datasets", wrong)).toMatchObject({ status: 400, body: { error: sentence } });
    expect(await client.send("PUT", `/datasets/${id}`, wrong)).toMatchObject({
      status: 400,
      body: { error: sentence },
    });
    expect(await client.send("PUT", "/datasets/none", unreadable)).toMatchObject({ status: 400 });
    expect(await client.send("PUT", "/datasets/none", wrong)).toMatchObject({ status: 404 });
    const stale = await client.send("PUT", `/datasets/${id}/cases/0?version=7`, long("other"));
    expect(stale).toMatchObject({ status: 409, body: { version: 1, case: long("one") } });
    const unknown = await client.send("DELETE", `/datasets/${id}/cases/1?version=1`);
    expect(unknown).toMatchObject({ status: 404, body: { error: "Case not found" } });
    expect(await read(id)).toMatchObject({ version: 1 });
  });

  test("takes rows and further cases in threads", async () => {
    const used = await threadsUsed(async () => {
      const rows = [long("one"), long("two")];
      const imported = await client.send("POST", "/datasets/import?name=n", rows);
      expect(imported).toMatchObject({ status: 201, body: { imported: 2, dataset: { questions: rows } } });
      const id = imported.body.dataset._id;
      const merged = await client.send("POST", `/datasets/${id}/import`, [{ query: "ONE ", expected_results: "1" }]);
      expect(merged).toMatchObject({ status: 200, body: { version: 2, added: 0, changed: 1, equal: 0 } });
      const source = { traceId: "t", addedAt: "2026-01-01T00:00:00.000Z" };
      const cases = [
        { ...short("two"), source },
        { ...short("new"), source },
      ];
      const added = await client.send("POST", `/datasets/${id}/cases`, { cases });
      expect(added).toMatchObject({ status: 201, body: { added: 1, caseCount: 3 } });
      expect((await read(id)).questions.at(-1)).toEqual({ ...short("new"), source });
    });
    expect(used).toEqual({ "readRows ok": 1, "composeDataset ok": 1, "editDataset ok": 2, "compareCases ok": 1 });
  });
});

describe("a small dataset", () => {
  test("needs no thread", async () => {
    const used = await threadsUsed(async () => {
      const { body } = await client.send("POST", "/datasets", { name: "n", questions: [short("one")] });
      await client.send("PUT", `/datasets/${body._id}`, { name: "m", questions: [short("one")] });
      expect((await client.send("PUT", `/datasets/${body._id}/cases/1?version=2`, short("two"))).status).toBe(201);
    });
    expect(used).toEqual({});
  });
});
