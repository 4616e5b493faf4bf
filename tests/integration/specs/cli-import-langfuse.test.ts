import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { kpis, projectReply, scoreList, sessionList, traceDetail, traceList } from "@touchstone/contracts";
import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { accessTo, type EndedImport, quick, startImport } from "../src/langfuse-import.ts";
import { type ScriptedLangfuse, startScriptedLangfuse } from "../src/scripted-langfuse.ts";
import { type CombinedSystem, startCombined } from "../src/start-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

/** `touchstone import langfuse` against a whole system; only Langfuse is scripted. */
/** By hand: 20,000 observations and 20 kills. */
const observations = Number(process.env.TOUCHSTONE_IMPORT_OBSERVATIONS ?? 400);
const kills = Number(process.env.TOUCHSTONE_IMPORT_KILLS ?? 3);

let llm: ScriptedLlm;
let system: CombinedSystem;
let api: ApiClient;
let folder: string;

beforeAll(async () => {
  llm = await startScriptedLlm();
  llm.answerWith(() => ({ kind: "verdict", rating: 4, justification: "As scripted." }));
  system = await startCombined({ settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted" } });
  api = createClient(system);
});
afterAll(async () => {
  await system?.stop();
  await llm?.stop();
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-import-"));
  return () => rm(folder, { recursive: true, force: true });
});

const start = (args: readonly string[], environment: Record<string, string>) =>
  startImport({ system, folder }, args, environment);

async function startLangfuse(major: 3 | 4, count: number): Promise<ScriptedLangfuse> {
  const langfuse = await startScriptedLangfuse({ major, observations: count });
  onTestFinished(() => langfuse.stop());
  return langfuse;
}

/** Kills the command some requests and some time after it began. */
async function importAndKill(langfuse: ScriptedLangfuse, kill: number): Promise<EndedImport> {
  const { child, ended } = start(quick, accessTo(langfuse));
  let requests = 0;
  langfuse.onRequest(() => {
    requests += 1;
    if (requests === 9 + (kill % 4)) setTimeout(() => child.kill("SIGKILL"), (kill * 37) % 150);
  });
  const result = await ended;
  langfuse.onRequest(() => undefined);
  return result;
}

/** Asks Touchstone as a client of Langfuse does. */
async function askAsClient(path: string, method = "GET", sent?: object): Promise<unknown> {
  const headers = { "x-api-key": system.apiKey, "content-type": "application/json" };
  const body = sent === undefined ? null : JSON.stringify(sent);
  return (await fetch(`${system.url}/api/public${path}`, { method, headers, body })).json();
}

/** The lines of an export. */
async function exported(entity = "traces"): Promise<string[]> {
  const response = await fetch(`${system.url}/api/v1/export/${entity}`, { headers: { "x-api-key": system.apiKey } });
  return (await response.text()).split("\n").filter(Boolean);
}

/** The exported spans of the traces of a Langfuse. */
async function spansOf({ project }: ScriptedLangfuse): Promise<Record<string, unknown>[]> {
  const traces = new Set(project.traces.map(({ id }) => String(id).replaceAll("-", "")));
  return (await exported())
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ otelTraceId }) => traces.has(String(otelTraceId)));
}

const spanCount = observations + observations / 10;

describe.each([3, 4] as const)("from Langfuse %i", (major) => {
  test("everything is there once, although the command is killed, refused and given a page twice", {
    timeout: 900_000,
  }, async () => {
    const langfuse = await startLangfuse(major, observations);
    for (let kill = 1; kill <= kills; kill += 1) {
      const killed = await importAndKill(langfuse, kill);
      expect(killed.code, killed.log).toBeNull();
    }
    const { code, stdout, log } = await start(quick, accessTo(langfuse)).ended;

    expect(code, log).toBe(0);
    expect(log).toMatch(
      /Langfuse \S+ has .*\d+ observations, .* Reading all takes about \d+ requests, at 60000 a minute/,
    );
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ equal: true, differences: [], refused: [] });
    expect(report.lines).toContainEqual({ what: "observations", source: observations, target: observations });
    expect(report.lines).toContainEqual({ what: "media", source: 2, target: 2 });
    expect(report.lines).toContainEqual({ what: "dataset items", source: 5, target: 5 });
    expect(report.lines).toContainEqual({ what: "run items", source: 5, target: 5 });
    expect(report.lines).toContainEqual({ what: "prompt versions", source: 3, target: 3 });
    expect(report.withoutPlace).toContainEqual({
      member: "observation.bookmarked",
      count: 1,
      id: langfuse.project.observations[3]?.id,
    });
    expect(langfuse.refusals.status429).toBeGreaterThan(0);
    expect(langfuse.refusals.status500).toBe(1);
    const spans = await spansOf(langfuse);
    expect(spans).toHaveLength(spanCount);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spanCount);
    expect(spans.find(({ output }) => output === "Done 7")).toMatchObject({ metadata: { long: "m".repeat(500) } });

    const again = await start([...quick, "--journal", "another"], accessTo(langfuse)).ended;
    expect(again.code, again.log).toBe(0);
    expect(await spansOf(langfuse)).toEqual(spans);
  });

  test("scores keep who gave them, and those of a run find the run", async () => {
    const langfuse = await startLangfuse(major, 100);
    const { code, log } = await start(quick, accessTo(langfuse)).ended;
    expect(code, log).toBe(0);
    const scoresOf = async (name: string) =>
      (await api.expect({ status: 200, schema: scoreList }, "GET", `/scores?name=${encodeURIComponent(name)}&limit=1`))
        .scores;

    expect(await scoresOf("helpful")).toMatchObject([{ source: "model", dataType: "numeric" }]);
    expect(await scoresOf("ok")).toMatchObject([{ source: "human", dataType: "boolean" }]);
    const [ofRun] = await scoresOf("run quality");
    const run = await api.send("GET", `/custom-agent-evaluations/runs/${ofRun?.runId}`);
    expect(run).toMatchObject({ status: 200, body: { runSource: "external", resultCount: 5 } });
  });

  test("runs have the times of their items, so that they are in the order that they had in Langfuse", async () => {
    const langfuse = await startLangfuse(major, 100);
    const { runs, traces } = langfuse.project;
    const [newer] = runs;
    const datasetRunItems = (newer?.datasetRunItems ?? []).map((item, index) => {
      return { ...item, traceId: traces[index + 5]?.id, createdAt: "2025-12-01T00:00:00.000Z" };
    });
    // Langfuse lists the newest first.
    runs.push({ ...newer, id: "run-2", name: `older run of version ${major}`, datasetRunItems });
    const { code, log } = await start(quick, accessTo(langfuse)).ended;

    expect(code, log).toBe(0);
    expect(await askAsClient(`/datasets/${encodeURIComponent(`weather / ${major}`)}/runs`)).toMatchObject({
      data: [
        { name: `run of version ${major}`, createdAt: "2026-01-05T00:00:00.000Z" },
        { name: `older run of version ${major}`, createdAt: "2025-12-01T00:00:00.000Z" },
      ],
    });
  });

  test("a version of a prompt that repeats the one before adds only its labels to it", async () => {
    const langfuse = await startLangfuse(major, 100);
    const { code, stdout, log } = await start(quick, accessTo(langfuse)).ended;

    expect(code, log).toBe(0);
    const { withoutPlace } = JSON.parse(stdout);
    for (const [member, version] of [
      ["prompt.version, which repeats the one before", 2],
      ["prompt.version, which is another number here", 3],
    ]) {
      expect(withoutPlace).toContainEqual({ member, count: 1, id: `greeting ${major} ${version}` });
    }
    const read = (label: string) =>
      askAsClient(`/v2/prompts/${encodeURIComponent(`greeting ${major}`)}?label=${label}`);
    expect(await read("staging")).toMatchObject({ version: 1, prompt: "Hello {{name}}" });
    expect(await read("production")).toMatchObject({ version: 2, prompt: "Hi {{name}}" });
  });

  test("labels and tags of prompts follow Langfuse with a new journal, and those that differ are named", async () => {
    const langfuse = await startLangfuse(major, 100);
    expect((await start(quick, accessTo(langfuse)).ended).code).toBe(0);
    const versions = langfuse.project.prompts.filter(({ name }) => name === `greeting ${major}`);
    for (const row of versions) {
      row.labels = row.version === 1 ? ["production", "staging"] : [];
      row.tags = ["t", "moved"];
    }
    const moved = await start([...quick, "--journal", "another"], accessTo(langfuse)).ended;

    expect(moved.code, moved.log).toBe(0);
    const path = `/v2/prompts/${encodeURIComponent(`greeting ${major}`)}`;
    expect(await askAsClient(`${path}?label=production`)).toMatchObject({ version: 1, prompt: "Hello {{name}}" });
    expect(await askAsClient(`${path}?version=2`)).toMatchObject({ labels: ["latest"], tags: ["t", "moved"] });
    expect(await askAsClient(`${path}?version=3`)).toMatchObject({ error: "NotFoundError" });
    expect(JSON.parse(moved.stdout).lines).toContainEqual({ what: "prompt labels and tags", source: 4, target: 4 });

    await askAsClient(`${path}/versions/2`, "PATCH", { newLabels: ["production"] });
    const compared = await start([...quick, "--journal", "another"], accessTo(langfuse)).ended;
    expect(compared.code, compared.log).toBe(1);
    expect(JSON.parse(compared.stdout)).toMatchObject({
      equal: false,
      differences: [{ kind: "prompt label", problem: "altered", count: 1, id: `greeting ${major} production` }],
    });
  });

  test("media that only an item of a dataset has are copied, and kept by the item", async () => {
    const langfuse = await startLangfuse(major, 100);
    const { code, stdout, log } = await start(quick, accessTo(langfuse)).ended;

    expect(code, log).toBe(0);
    const members = JSON.parse(stdout).withoutPlace.map(({ member }: { member: string }) => member);
    expect(members).not.toContain("item.mediaReferences");
    const { id, expectedOutput } = langfuse.project.items[4] ?? {};
    const item = await askAsClient(`/dataset-items/${id}`);
    const { mediaReferences } = item as { mediaReferences: [{ media: { url: string } }] };
    expect(mediaReferences).toMatchObject([{ field: "expectedOutput", referenceString: expectedOutput }]);
    const content = await fetch(mediaReferences[0].media.url);
    expect(await content.text()).toBe(`a picture of an item of version ${major}`);
    const lines = (await exported("media")).map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ datasetItemId: id, traceId: null, field: "expectedOutput" }),
    );
  });

  test("a row that is altered makes the command exit with 1 and name it", async () => {
    const langfuse = await startLangfuse(major, 100);
    expect((await start(quick, accessTo(langfuse)).ended).code).toBe(0);
    const { id, traceId } = langfuse.project.observations[42] ?? {};
    const body = { id, traceId, usageDetails: { input: 999, output: 5 } };
    const event = { id: `altered-${major}`, type: "generation-update", timestamp: new Date().toISOString(), body };
    await askAsClient("/ingestion", "POST", { batch: [event] });
    const { code, stdout, log } = await start(quick, accessTo(langfuse)).ended;

    expect(code, log).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      equal: false,
      differences: [{ kind: "observation", problem: "altered", count: 1, id }],
    });
  });
});

test("parts are imported by themselves, and the same journal takes the others later", async () => {
  const langfuse = await startLangfuse(4, 20);
  const counted = await start(["--dry-run", "--json", "--only", "prompts, datasets"], accessTo(langfuse)).ended;
  expect(JSON.parse(counted.stdout)).toEqual({ datasets: 1, "dataset items": 5, prompts: 2 });

  const [first] = langfuse.project.prompts;
  langfuse.project.prompts = [{ ...first, name: "alone" }];
  const some = await start([...quick, "--only", "prompts"], accessTo(langfuse)).ended;
  expect(some.code, some.log).toBe(0);
  const kinds = ({ stdout }: EndedImport) =>
    JSON.parse(stdout)
      .lines.map(({ what }: { what: string }) => what)
      .filter((what: string) => /^(traces|observations|scores|dataset items|prompt versions)$/.test(what));
  expect(kinds(some)).toEqual(["prompt versions"]);
  const more = await start([...quick, "--only", "prompts,scores"], accessTo(langfuse)).ended;
  expect(kinds(more)).toEqual(["scores", "prompt versions"]);
  const wrong = await start(["--only", "prompts,users"], accessTo(langfuse)).ended;
  expect(wrong.log).toContain("It must be of prompts, datasets, traces, scores");
  expect(wrong.code).toBe(2);
});

test("a run without items is counted, because an item makes a run", async () => {
  const langfuse = await startLangfuse(3, 100);
  const [run] = langfuse.project.runs;
  langfuse.project.runs.push({ ...run, id: "run-2", name: "empty run", datasetRunItems: [] });
  const { stdout, log } = await start(quick, accessTo(langfuse)).ended;

  const { withoutPlace } = JSON.parse(stdout);
  expect(withoutPlace, log).toContainEqual({ member: "run without items", count: 1, id: "empty run" });
});

test("references to media in export files are counted, because files have no contents", async () => {
  const { project } = await startLangfuse(4, 20);
  const file = path.join(folder, "observations.jsonl");
  await writeFile(file, project.observations.map((row) => JSON.stringify(row)).join("\n"));
  const { code, stdout, log } = await start(["observations.jsonl", "--json"], {}).ended;

  expect(code, log).toBe(0);
  const [mediaId] = project.media.keys();
  expect(JSON.parse(stdout).withoutPlace).toContainEqual({
    member: "reference to media, whose content no file has",
    count: 1,
    id: mediaId,
  });
});

test("export files are imported, with their names with underscores and their times without a zone", async () => {
  const { project } = await startLangfuse(3, 60);
  const toLines = (rows: Record<string, unknown>[]) =>
    rows
      .map((row) =>
        JSON.stringify(
          Object.fromEntries(Object.entries(row).map(([name, value]) => [underscored(name), unzoned(value)])),
        ),
      )
      .join("\n");
  const renamed = (rows: Record<string, unknown>[]) =>
    JSON.parse(JSON.stringify(rows).replaceAll(/(?<=")(?=[0-9a-f]{8}-)/g, "f-")) as typeof rows;
  for (const name of ["traces", "observations", "scores"] as const) {
    await writeFile(path.join(folder, `${name}.jsonl`), toLines(renamed(project[name])));
  }
  const { code, stdout, log } = await start(["traces.jsonl", "observations.jsonl", "scores.jsonl"], {}).ended;

  expect(code, log).toBe(0);
  expect(stdout).toMatch(/ {2}observations +60 {2}60\n/);
  expect(stdout).toContain("Equal.");
});

const underscored = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const unzoned = (value: unknown): unknown =>
  typeof value === "string" && /^2026-.*Z$/.test(value) ? value.replace("T", " ").replace("Z", "") : value;

test("a dry run counts and writes nothing, and what cannot run exits with 2", async () => {
  const langfuse = await startLangfuse(4, 250);
  const before = await exported();
  const { code, stdout } = await start(["--dry-run", "--json"], accessTo(langfuse)).ended;

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ observations: 250, "dataset items": 5, prompts: 2 });
  expect(await exported()).toEqual(before);
  const failures: [string[], Record<string, string>, string][] = [
    [[], { ...accessTo(langfuse), LANGFUSE_SECRET_KEY: "wrong" }, "Langfuse refuses the keys (401)."],
    [[], { ...accessTo(langfuse), LANGFUSE_BASE_URL: system.url }, "is Touchstone itself."],
    [[], {}, "State --host, or set LANGFUSE_HOST"],
    [["none.jsonl"], {}, "none.jsonl cannot be read."],
    [["--from", "yesterday"], accessTo(langfuse), "It must be an ISO 8601 date."],
  ];
  for (const [args, environment, said] of failures) {
    const ended = await start(args, environment).ended;
    expect(ended.log).toContain(said);
    expect(ended.code, ended.log).toBe(2);
  }
});

test("imported traces are traffic of their own times: all are there, and live judges see those of the last sixty days", async () => {
  const { project } = await api.expect({ status: 201, schema: projectReply }, "POST", "/projects", { name: "past" });
  const client = createClient({ url: system.url, apiKey: project.apiKey ?? "" });
  const judge = { name: "Tone", judge: { acceptanceCriteria: "Is it polite?" }, online: { sampleRate: 1 } };
  expect((await client.send("POST", "/agent-monitoring/judge-scorers", judge)).status).toBe(201);
  const ages = { lately: 2, "long ago": 70 };
  const rows = Object.entries(ages).map(([name, days], index) => {
    const at = new Date(Date.now() - days * 86_400_000).toISOString();
    const [id, sessionId] = [`trace-${index}`, `session-${index}`];
    const shared = { input: "How much?", output: "Seven.", sessionId };
    const usage = { usageDetails: { input: 10, output: 5 }, costDetails: { total: 0.25 }, model: "gpt-4o" };
    return {
      trace: { id, name, timestamp: at, ...shared },
      observation: {
        id: `${id}-llm`,
        traceId: id,
        type: "GENERATION",
        startTime: at,
        endTime: at,
        ...shared,
        ...usage,
      },
    };
  });
  for (const kind of ["trace", "observation"] as const) {
    const lines = rows.map((row) => JSON.stringify(row[kind])).join("\n");
    await writeFile(path.join(folder, `${kind}s.jsonl`), lines);
  }
  const asked = llm.requests.length;
  const { code, log } = await start(["traces.jsonl", "observations.jsonl"], {
    TOUCHSTONE_API_KEY: project.apiKey ?? "",
  }).ended;
  expect(code, log).toBe(0);

  const { traces } = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces");
  expect(traces.map(({ name }) => name)).toEqual(["lately", "long ago"]);
  const read = (index: number) =>
    client.expect({ status: 200, schema: traceDetail }, "GET", `/ingest/traces/${traces[index]?._id}`);
  await waitUntil("the newer trace is judged", async () => (await read(0)).judgeScores?.rating === 4);
  expect((await read(0)).inputTokens).toBe(10);
  expect(await read(1)).toMatchObject({ inputTokens: 10, outputTokens: 5, sessionId: "session-1" });
  expect((await read(1)).judgeScores).toBeNull();
  // They settled together.
  expect(llm.requests).toHaveLength(asked + 1);
  const { totalRuns } = await client.expect({ status: 200, schema: kpis }, "GET", "/monitor/kpis?window=30d");
  expect(totalRuns).toBe(1);
  const { sessions } = await client.expect(
    { status: 200, schema: sessionList },
    "GET",
    "/agent-monitoring/sessions?window=30d",
  );
  expect(sessions).toMatchObject([{ sessionId: "session-0", turnCount: 1, judgeRating: null }]);
});
