import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { runList, traceList } from "@touchstone/contracts";
import { readPageCommands } from "@touchstone/testkit";
import { expect, test } from "vitest";
import { createClient } from "../src/client.ts";
import { useJudged } from "../src/use-combined.ts";

const { system } = useJudged(() => ({ kind: "verdict", rating: 9, justification: "It is what was expected." }));

test("the README's requests for Kubernetes take the first key, store a trace and grade a run, as they are written", async () => {
  const [, requests = ""] = await readPageCommands("README.md", "## On Kubernetes");
  const script = requests.replaceAll("http://localhost:4700", system.url);

  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script]);

  const client = createClient(system);
  const { traces } = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces");
  expect(traces.map(({ name }) => name)).toEqual(["weather-agent"]);
  const { runs } = await client.expect({ status: 200, schema: runList }, "GET", "/custom-agent-evaluations/runs");
  expect(runs).toMatchObject([{ status: "completed", resultCount: 1, averageRating: 9 }]);
  // The last request shows the run.
  expect(stdout.slice(stdout.lastIndexOf('{"_id"'))).toContain(`"runId":"${runs[0]?.runId}"`);
});
