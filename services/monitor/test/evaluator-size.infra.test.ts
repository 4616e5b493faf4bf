import { expect, test } from "vitest";
import { newProject, query, useWatchingMonitor } from "./watching-bench.ts";

useWatchingMonitor();

const path = "/agent-monitoring/custom-evaluators";

test("enabled custom scorers have a bounded size together, which a change may make smaller", async () => {
  const project = newProject();
  const code = { kind: "code", script: `function handler() {}${"é".repeat(65_000)}` };
  const ids: string[] = [];
  for (let at = 0; at < 32; at += 1) {
    const created = await project.send("POST", path, { name: `Code ${at}`, ...code });
    expect(created.status).toBe(201);
    ids.push((created.body as { evaluator: { _id: string } }).evaluator._id);
  }
  const tooLarge = {
    status: 400,
    body: { error: "The enabled custom evaluators of a project have at most 4194304 bytes together" },
  };

  expect(await project.send("POST", path, { name: "Last", ...code })).toEqual(tooLarge);
  const last = await project.send("POST", path, { name: "Last", ...code, enabled: false });
  const { _id: lastId } = (last.body as { evaluator: { _id: string } }).evaluator;
  expect(await project.send("PUT", `${path}/${lastId}`, { enabled: true })).toEqual(tooLarge);

  await query(
    "update monitor.custom_evaluators set document = jsonb_set(document::jsonb, '{enabled}', 'true') where id = $1",
    [lastId],
  );
  const smaller = await project.send("PUT", `${path}/${ids[0]}`, { script: "function handler() {}" });
  expect(smaller).toMatchObject({ status: 200, body: { evaluator: { script: "function handler() {}" } } });
  expect(await project.send("PUT", `${path}/${ids[0]}`, code)).toEqual(tooLarge);
});
