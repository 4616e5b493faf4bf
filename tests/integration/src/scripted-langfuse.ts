import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

type Row = Record<string, unknown>;

/** A project of Langfuse as its API shows it. Rows may be changed. */
export interface LangfuseProject {
  /** Version 3 only. */
  traces: Row[];
  observations: Row[];
  scores: Row[];
  datasets: Row[];
  items: Row[];
  runs: (Row & { datasetRunItems: Row[] })[];
  prompts: Row[];
  media: Map<string, Buffer>;
}

export interface ScriptedLangfuse {
  url: string;
  project: LangfuseProject;
  /** How many requests were answered 429 and 500. */
  refusals: { status429: number; status500: number };
  /** Called with each request, before it is answered. */
  onRequest(listener: (path: string) => void): void;
  stop(): Promise<void>;
}

export const keys = { publicKey: "pk-lf-scripted", secretKey: "sk-lf-scripted" } as const;

/** Metadata are cut after so many characters in version 4. */
const cutAtChars = 200;
const startMs = Date.UTC(2026, 0, 5);

/**
 * A Langfuse over HTTP with so many observations, ten in a trace. Every eleventh request is answered 429, the third of
 * observations 500, and their second page comes twice.
 */
export async function startScriptedLangfuse({
  major,
  observations,
}: {
  major: 3 | 4;
  observations: number;
}): Promise<ScriptedLangfuse> {
  const project = makeProject(major, observations);
  const refusals = { status429: 0, status500: 0 };
  let listener = (_path: string): void => undefined;
  let requests = 0;
  let ofObservations = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://langfuse");
    const path = url.pathname.replace("/api/public", "");
    requests += 1;
    listener(path);
    const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    const content = /^\/content\/(.+)$/.exec(path)?.[1];
    if (content !== undefined) return void response.end(project.media.get(content));
    if (path !== "/health" && !isAllowed(request)) return void send(401, { message: "Invalid credentials" });
    if (requests % 11 === 0) {
      refusals.status429 += 1;
      return void send(429, { message: "rate limit exceeded" }, { "retry-after": "0.05" });
    }
    if (path.endsWith("/observations")) ofObservations += 1;
    if (ofObservations === 3 && refusals.status500 === 0) {
      refusals.status500 += 1;
      return void send(500, { message: "Internal Server Error" });
    }
    const body = answer({ project, major }, path, url.searchParams, `http://${request.headers.host}`);
    return body === undefined ? void send(404, { message: "Not found" }) : void send(200, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ project, refusals },
    onRequest(next) {
      listener = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function isAllowed({ headers }: IncomingMessage): boolean {
  const expected = Buffer.from(`${keys.publicKey}:${keys.secretKey}`).toString("base64");
  return headers.authorization === `Basic ${expected}`;
}

/** Undefined: 404. */
function answer(
  { project, major }: { project: LangfuseProject; major: 3 | 4 },
  path: string,
  query: URLSearchParams,
  origin: string,
): unknown {
  const { datasets, items, runs, prompts, media } = project;
  const numbered = (rows: readonly Row[], isTwice = false) => numberedPage(rows, query, isTwice);
  if (path === "/health") return { status: "OK", version: `${major}.11.0` };
  if (path === "/v2/datasets") return numbered(datasets);
  if (path === "/dataset-items") {
    const name = query.get("datasetName");
    return numbered(items.filter(({ datasetName }) => name === null || datasetName === name));
  }
  if (path === "/v2/scores") return numbered(project.scores);
  if (path === "/v2/prompts") return numbered(promptList(prompts));
  const [, list, name = "", rest] =
    /^\/(v2\/prompts|media|datasets)\/([^/]+)(?:\/runs)?(?:\/([^/]+))?$/.exec(path) ?? [];
  if (list === "v2/prompts") {
    return prompts.find((row) => row.name === decodeURIComponent(name) && row.version === Number(query.get("version")));
  }
  if (list === "media" && media.has(name)) {
    return {
      mediaId: name,
      contentType: "image/png",
      contentLength: media.get(name)?.length,
      url: `${origin}/content/${name}`,
    };
  }
  if (major === 4) return answerVersion4(project, path, query);
  if (path === "/traces") return numbered(project.traces);
  if (path === "/observations") return numbered(project.observations, true);
  const ofDataset = runs.filter(({ datasetName }) => datasetName === decodeURIComponent(name));
  if (list === "datasets" && rest === undefined)
    return numbered(ofDataset.map(({ datasetRunItems: _, ...run }) => run));
  return ofDataset.find((run) => run.name === decodeURIComponent(rest ?? ""));
}

function answerVersion4(project: LangfuseProject, path: string, query: URLSearchParams): unknown {
  if (path === "/v3/scores") {
    return cursorPage(
      project.scores.map(({ traceId, observationId, datasetRunId, stringValue, value, ...score }) => ({
        ...score,
        value: score.dataType === "BOOLEAN" ? value === 1 : (stringValue ?? value),
        subject: subjectOf({ traceId, observationId, datasetRunId }),
      })),
      query,
    );
  }
  if (path === "/v2/observations") {
    const expanded = (query.get("expandMetadata") ?? "").split(",");
    return cursorPage(
      project.observations.map((row) => ({ ...row, metadata: cutMetadata(row.metadata as Row, expanded) })),
      query,
      true,
    );
  }
  if (path === "/v2/metrics") return { data: [{ count_count: String(project.observations.length) }] };
  if (path !== "/experiment-items") return undefined;
  const items = project.runs.flatMap((run) =>
    run.datasetRunItems.map((item) => ({
      ...{ id: item.observationId, traceId: item.traceId, startTime: item.createdAt, endTime: null, level: "DEFAULT" },
      ...{ experimentId: run.id, experimentName: run.name, experimentItemId: item.datasetItemId },
      ...{
        experimentDatasetId: run.datasetId,
        experimentDescription: run.description,
        experimentMetadata: run.metadata,
      },
    })),
  );
  return cursorPage(items, query);
}

function subjectOf({ traceId, observationId, datasetRunId }: Row): Row {
  if (typeof datasetRunId === "string") return { kind: "experiment", id: datasetRunId };
  return typeof observationId === "string"
    ? { kind: "observation", id: observationId, traceId }
    : { kind: "trace", id: traceId };
}

function cutMetadata(metadata: Row, expanded: readonly string[]): Row {
  const entries = Object.entries(metadata).map(([key, value]) => [
    key,
    typeof value === "string" && !expanded.includes(key) ? value.slice(0, cutAtChars) : value,
  ]);
  return Object.fromEntries(entries);
}

/** The pages of a list; of two or more, the second comes twice. */
function pagesOf(rows: readonly Row[], query: URLSearchParams, isTwice: boolean): Row[][] {
  const limit = Number(query.get("limit") ?? 50);
  const pages: Row[][] = [];
  for (let at = 0; at < rows.length; at += limit) pages.push(rows.slice(at, at + limit));
  if (isTwice && limit > 1 && pages[1] !== undefined) pages.splice(1, 0, pages[1]);
  return pages;
}

function numberedPage(rows: readonly Row[], query: URLSearchParams, isTwice: boolean): unknown {
  const pages = pagesOf(rows, query, isTwice);
  const page = Number(query.get("page") ?? 1);
  const meta = { page, limit: Number(query.get("limit") ?? 50), totalItems: rows.length, totalPages: pages.length };
  return { data: pages[page - 1] ?? [], meta };
}

function cursorPage(rows: readonly Row[], query: URLSearchParams, isTwice = false): unknown {
  const pages = pagesOf(rows, query, isTwice);
  const at = Number(Buffer.from(query.get("cursor") ?? "", "base64url").toString() || 0);
  const cursor = Buffer.from(String(at + 1)).toString("base64url");
  return { data: pages[at] ?? [], meta: at + 1 < pages.length ? { cursor } : {} };
}

function promptList(prompts: readonly Row[]): Row[] {
  const names = [...new Set(prompts.map(({ name }) => name))];
  return names.map((name) => {
    const versions = prompts.filter((row) => row.name === name);
    return { name, type: versions[0]?.type, versions: versions.map(({ version }) => version), labels: [], tags: [] };
  });
}

function makeProject(major: 3 | 4, count: number): LangfuseProject {
  const content = Buffer.from("a picture");
  const mediaId = createHash("sha256").update(content).digest("base64url").slice(0, 22);
  const digits = (text: string) => createHash("md5").update(`${major} ${text}`).digest("hex");
  const uuid = (text: string) => digits(text).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const traceIdOf = (trace: number) => (major === 4 ? digits(`trace ${trace}`) : uuid(`trace ${trace}`));
  const idOf = (index: number) =>
    major === 4 ? digits(`observation ${index}`).slice(0, 16) : uuid(`observation ${index}`);
  const timeOf = (index: number, afterMs = 0) => new Date(startMs + index * 60_000 + afterMs).toISOString();
  const observations = Array.from({ length: count }, (_, index): Row => {
    const trace = Math.floor(index / 10);
    const isRoot = index % 10 === 0;
    const shared = {
      id: idOf(index),
      traceId: traceIdOf(trace),
      environment: "default",
      level: "DEFAULT",
      statusMessage: null,
    };
    const times = {
      startTime: timeOf(index),
      endTime: timeOf(index, 1_500),
      createdAt: timeOf(index),
      updatedAt: timeOf(index),
    };
    const metadata = { index, ...(index === 7 && { long: "m".repeat(500) }) };
    const parent = { parentObservationId: isRoot ? null : idOf(trace * 10) };
    if (isRoot) {
      const ofTrace = {
        userId: `user-${trace % 7}`,
        sessionId: null,
        tags: ["imported"],
        traceName: `trace ${trace}`,
        release: "r1",
      };
      const input =
        index === 0 ? `See @@@langfuseMedia:type=image/png|id=${mediaId}|source=bytes@@@` : `Question ${trace}?`;
      return {
        ...{ ...shared, ...times, ...parent, metadata, type: "SPAN", name: "agent", input, output: `Answer ${trace}.` },
        ...(major === 4 && { ...ofTrace, isRootObservation: true }),
      };
    }
    const usageDetails = {
      input: 10 + (index % 3),
      output: 5,
      cache_read_input_tokens: index % 5,
      total: 15 + (index % 3) + (index % 5),
    };
    const costDetails = { input: 0.001, output: 0.0002 * (index % 9), total: 0.001 + 0.0002 * (index % 9) };
    const io = { input: JSON.stringify([{ role: "user", content: `Step ${index}` }]), output: `Done ${index}` };
    return {
      ...{
        ...shared,
        ...times,
        ...parent,
        metadata,
        type: "GENERATION",
        name: "llm",
        ...io,
        usageDetails,
        costDetails,
      },
      ...{ model: "gpt-4o", modelParameters: { temperature: 0.5 }, promptName: null, promptVersion: null },
      ...(index === 3 && { bookmarked: true }),
    };
  });
  const traces = Array.from(
    { length: Math.ceil(count / 10) },
    (_, trace): Row => ({
      ...{ id: traceIdOf(trace), timestamp: timeOf(trace * 10), name: `trace ${trace}`, input: `Question ${trace}?` },
      ...{
        output: `Answer ${trace}.`,
        userId: `user-${trace % 7}`,
        sessionId: null,
        tags: ["imported"],
        release: "r1",
      },
      ...{
        version: null,
        environment: "default",
        public: trace === 1,
        metadata: { trace },
        htmlPath: `/trace/${trace}`,
      },
    }),
  );
  const scores = traces.flatMap(({ id }, trace): Row[] => {
    const base = {
      timestamp: timeOf(trace * 10),
      environment: "default",
      authorUserId: null,
      comment: null,
      configId: null,
      metadata: {},
    };
    return [
      {
        ...base,
        id: uuid(`helpful ${trace}`),
        traceId: id,
        name: "helpful",
        value: (trace % 10) / 10,
        dataType: "NUMERIC",
        source: "EVAL",
      },
      ...(trace % 3 === 0
        ? [
            {
              ...base,
              id: uuid(`ok ${trace}`),
              traceId: id,
              observationId: idOf(trace * 10 + 1),
              name: "ok",
              value: trace % 2,
              stringValue: trace % 2 === 1 ? "True" : "False",
              dataType: "BOOLEAN",
              source: "ANNOTATION",
            },
          ]
        : []),
    ];
  });
  const dataset = { id: "dataset-1", name: `weather / ${major}`, description: "Questions", metadata: { owner: "me" } };
  const items = Array.from(
    { length: 5 },
    (_, index): Row => ({
      ...{
        id: `item-${major}-${index}`,
        datasetId: dataset.id,
        datasetName: dataset.name,
        status: "ACTIVE",
        sourceTraceId: null,
      },
      ...{
        input: { q: `Question ${index}?`, n: 1.5 },
        expectedOutput: `Answer ${index}.`,
        metadata: null,
        sourceObservationId: null,
      },
    }),
  );
  const datasetRunItems = items.map(
    ({ id }, index): Row => ({
      ...{
        id: `run-item-${index}`,
        datasetItemId: id,
        traceId: traceIdOf(index),
        observationId: idOf(index * 10),
        createdAt: timeOf(0),
      },
    }),
  );
  const run = {
    id: "run-1",
    name: `run of version ${major}`,
    description: "A run",
    metadata: { model: "a" },
    datasetId: dataset.id,
    datasetName: dataset.name,
  };
  scores.push({
    ...{
      id: uuid("run score"),
      name: "run quality",
      value: 0.75,
      dataType: "NUMERIC",
      source: "API",
      datasetRunId: run.id,
    },
    ...{ timestamp: timeOf(0), environment: "default", comment: "good", metadata: {} },
  });
  const prompt = {
    name: `greeting ${major}`,
    type: "text",
    config: { temperature: 0.5 },
    tags: ["t"],
    commitMessage: null,
  };
  const prompts = [
    { ...prompt, version: 1, prompt: "Hello {{name}}", labels: [] },
    { ...prompt, version: 2, prompt: "Hi {{name}}", labels: ["production", "latest"] },
    {
      ...prompt,
      name: `chat/${major}`,
      type: "chat",
      version: 1,
      prompt: [{ role: "system", content: "Be kind." }],
      labels: ["latest"],
    },
  ];
  return {
    traces,
    observations,
    scores,
    datasets: [dataset],
    items,
    runs: [{ ...run, datasetRunItems }],
    prompts,
    media: new Map([[mediaId, content]]),
  };
}
