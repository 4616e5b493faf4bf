import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { demoDataset, demoOutputs } from "./demo-dataset.ts";

const projectName = "Demo";
const capturesFolder = path.resolve(import.meta.dirname, "../../../../fixtures/otlp");

/** Exports of real SDKs that together show agents, tools, retrieval, streaming and a failure. */
const captureFolders = ["vercel-ai-v7-genai", "openinference-langchain", "langfuse", "traceloop"];

interface Project {
  name: string;
  apiKey: string;
}

/**
 * Fills a project of its own with recorded traces, a dataset and a finished run. A second call finds the project and
 * adds only what is missing: traces are replays then, and a dataset that is there has its run.
 */
export async function loadDemo(target: { address: string; apiKey: string }): Promise<{ summary: string }> {
  const project = await openProject(target);
  const api = createApi(target.address, project.apiKey);
  const exports = await sendCaptures(target.address, project.apiKey);
  const { datasets } = await api<{ datasets: { name: string }[] }>("GET", "/custom-agent-evaluations/datasets");
  const traces = await api<{ totalCount: number }>("GET", "/ingest/traces?limit=1");
  const lines = [
    `Project "${projectName}" (key ${project.apiKey}): ${traces.totalCount} traces from ${exports} recorded exports.`,
  ];
  if (datasets.some(({ name }) => name === demoDataset.name)) {
    lines.push("Its dataset and run are there already.");
  } else {
    lines.push(await gradeRun(api, { address: target.address, apiKey: project.apiKey }));
  }
  return { summary: lines.join("\n") };
}

async function openProject(target: { address: string; apiKey: string }): Promise<Project> {
  const api = createApi(target.address, target.apiKey);
  const { projects } = await api<{ projects: Project[] }>("GET", "/projects");
  const existing = projects.find(({ name }) => name === projectName);
  if (existing) return existing;
  const { project } = await api<{ project: Project }>("POST", "/projects", { name: projectName });
  return project;
}

/** Sends each recorded request body as the SDK sent it. */
async function sendCaptures(address: string, apiKey: string): Promise<number> {
  let sent = 0;
  for (const folder of captureFolders) {
    const names = (await readdir(path.join(capturesFolder, folder))).filter((name) =>
      /\.traces\.(bin|json)(\.gz)?$/.test(name),
    );
    for (const name of names.sort()) {
      const response = await fetch(`${address}/api/v1/otel/v1/traces`, {
        method: "POST",
        headers: {
          "x-api-key": apiKey,
          "content-type": name.includes(".json") ? "application/json" : "application/x-protobuf",
          ...(name.endsWith(".gz") && { "content-encoding": "gzip" }),
        },
        body: await readFile(path.join(capturesFolder, folder, name)),
      });
      if (!response.ok)
        throw new Error(`The export ${folder}/${name} was refused: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
      sent += 1;
    }
  }
  return sent;
}

async function gradeRun(api: Api, reader: { address: string; apiKey: string }): Promise<string> {
  const dataset = await api<{ _id: string }>("POST", "/custom-agent-evaluations/datasets", demoDataset);
  const run = await api<{ runId: string }>("POST", "/custom-agent-evaluations/runs", {
    datasetId: dataset._id,
    evaluationSubject: { kind: "custom_agent", displayName: "weather-agent", framework: "demo", version: "1.0.0" },
  });
  const runPath = `/custom-agent-evaluations/runs/${run.runId}`;
  await api("POST", `${runPath}/results`, {
    batchId: "demo",
    results: demoOutputs.map((text, questionIndex) => ({
      idempotencyKey: `${run.runId}:case-${questionIndex}:run-1`,
      questionIndex,
      output: { text },
    })),
  });
  await api("POST", `${runPath}/finalize`, { status: "completed" });
  const finished = await api<{
    averageRating: number | null;
    resultCount: number;
    results: { justification: string | null; jaccardSimilarity?: number | null }[];
  }>("GET", runPath);
  const graded =
    finished.averageRating === null
      ? `not rated (${finished.results[0]?.justification ?? "no judge"})`
      : `mean rating ${finished.averageRating.toFixed(1)} of 10`;
  return [
    `Dataset "${demoDataset.name}" with a finished run of ${finished.resultCount} results: similarity computed, ${graded}.`,
    `Read it: curl -H 'x-api-key: ${reader.apiKey}' ${reader.address}/api/v1${runPath}`,
  ].join("\n");
}

type Api = <Reply>(method: string, path: string, body?: unknown) => Promise<Reply>;

function createApi(address: string, apiKey: string): Api {
  return async <Reply>(method: string, route: string, body?: unknown) => {
    const response = await fetch(`${address}/api/v1${route}`, {
      method,
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${route} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Reply;
  };
}
