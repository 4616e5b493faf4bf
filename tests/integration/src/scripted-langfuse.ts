import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type LangfuseProject, makeLangfuseProject, type Row } from "./langfuse-project.ts";

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
  const project = makeLangfuseProject(major, observations);
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
