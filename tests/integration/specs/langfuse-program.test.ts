import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import {
  comparedRuns,
  gate,
  rescoreRunReply,
  run as runSchema,
  shownMedia,
  traceDetail,
  traceList,
} from "@touchstone/contracts";
import { expect, test } from "vitest";
import { readOnlyTrace } from "../src/langfuse-clients.ts";
import { useJudged } from "../src/use-combined.ts";

const run = promisify(execFile);
const program = path.resolve(import.meta.dirname, "../programs/langfuse-5.mjs");
const deadlineMs = 180_000;
/** The environment of the program before. */
const before = {
  LANGFUSE_BASE_URL: "https://cloud.langfuse.com",
  LANGFUSE_PUBLIC_KEY: "pk-lf-1",
  LANGFUSE_SECRET_KEY: "sk-lf-1",
};

const { system, client } = useJudged(({ prompt }) => ({
  kind: "verdict",
  rating: prompt.includes("I do not know") ? 2 : 9,
  justification: "As scripted.",
}));

/** Runs the program with two variables changed; returns what it prints, the id of its run. */
async function runProgram(...args: string[]): Promise<string> {
  const changed = { LANGFUSE_BASE_URL: system.url, LANGFUSE_SECRET_KEY: system.apiKey };
  const env = { PATH: process.env.PATH, ...before, ...changed };
  const { stdout } = await run(process.execPath, [program, ...args], { env, timeout: deadlineMs });
  // The client warns on the standard output, too.
  return stdout.trim().split("\n").at(-1) ?? "";
}

test("a program for Langfuse runs with two variables changed; its runs are judged, compared and gated", async () => {
  const runs = "/custom-agent-evaluations/runs";
  const good = await runProgram();

  const { detail, spans } = await readOnlyTrace(client, "capital-agent");
  expect(detail).toMatchObject({ input: { country: "France" }, output: "Paris", inputTokens: 12, outputTokens: 5 });
  const llmId = spans.find(({ name }) => name === "llm")?._id;
  const call = await client.expect({ status: 200, schema: traceDetail }, "GET", `/ingest/traces/${llmId}`);
  expect(JSON.stringify(call.input)).toContain("Name the capital of France.");
  const ofPrompt = { status: 200, schema: traceList };
  const { traces } = await client.expect(ofPrompt, "GET", "/ingest/traces?promptName=capital&promptVersion=1");
  expect(traces).toMatchObject([{ name: "capital-agent" }]);
  const [, mediaId] = /@@@langfuseMedia:type=image\/png\|id=([\w-]{22})\|/.exec(JSON.stringify(call.input)) ?? [];
  const { url } = await client.expect({ status: 200, schema: shownMedia }, "GET", `/media/${mediaId}`);
  const image = await fetch(url ?? "");
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);

  const bad = await runProgram("bad");
  const rescore = (id: string) =>
    client.expect({ status: 200, schema: rescoreRunReply }, "POST", `${runs}/${id}/rescore`);
  expect(await rescore(good)).toMatchObject({ rescored: 3, averageRating: 9 });
  expect(await rescore(bad)).toMatchObject({ rescored: 3, averageRating: 2 });

  const read = await client.expect({ status: 200, schema: runSchema }, "GET", `${runs}/${bad}`);
  expect(read).toMatchObject({ datasetName: "capitals", averageRating: 2, resultCount: 3 });
  const query = `baseline=${good}&candidate=${bad}`;
  const found = { status: 200, schema: comparedRuns };
  const { cases } = await client.expect(found, "GET", `/evaluate/runs/compare?${query}`);
  expect(cases.map(({ delta }) => delta)).toEqual([-7, -7, -7]);
  const gateOf = async (id: string, asked: string) =>
    (await client.expect({ status: 200, schema: gate }, "GET", `${runs}/${id}/gate?${asked}`)).passed;
  for (const asked of ["method=paired&failUnder=7", "metric=exact&failUnder=0.9"]) {
    expect([await gateOf(good, asked), await gateOf(bad, asked)]).toEqual([true, false]);
  }
});
