import { limits } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { beforeAll, describe, expect, test, vi } from "vitest";
import * as bodies from "../src/model/span-body.ts";
import { type Reply, useIngest } from "./running-ingest.ts";

// Counts decompressed bodies: every body that is read passes here.
vi.mock("../src/model/span-body.ts", { spy: true });

beforeAll(() => {
  // The service runs in this process. A page of the real size would only make this slow.
  Object.assign(limits, { listBytesMax: 200_000 });
});
const { ingest } = useIngest();

const newProject = (): string => uuidv7(Date.now());
/** Compresses to next to nothing: the stored size does not show the size of the answer. */
const long = "long ".repeat(12_000);

interface Page {
  traces: { _id: string; name: string; input?: string }[];
  totalCount: number;
  hasNextPage: boolean;
  nextCursor: string | null;
  truncatedBy?: string;
}

const list = async (projectId: string, query = ""): Promise<Page> => {
  const reply = await ingest.call(projectId, "GET", `/api/v1/ingest/traces?limit=100${query}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.json;
};

async function readPages(projectId: string, query = ""): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null = ""; cursor !== null; cursor = pages.at(-1)?.nextCursor ?? null) {
    pages.push(await list(projectId, `${query}${cursor === "" ? "" : `&cursor=${cursor}`}`));
  }
  return pages;
}

async function unpackedBy(work: () => Promise<unknown>): Promise<number> {
  vi.mocked(bodies.decodeSpanBody).mockClear();
  await work();
  const texts = await Promise.all(vi.mocked(bodies.decodeSpanBody).mock.results.map(({ value }) => value as Buffer));
  return texts.reduce((sum, { length }) => sum + length, 0);
}

describe("a list of traces of more bytes than an answer may have", () => {
  test("ends early, reports it, and continues: every trace is on one page, in order", async () => {
    const projectId = newProject();
    for (let at = 0; at < 10; at += 1) await ingest.submit(projectId, { name: `t${at}`, input: long });
    const pages = await readPages(projectId);
    expect(pages.map(({ traces }) => traces.length)).toEqual([3, 3, 3, 1]);
    expect(pages.map(({ truncatedBy }) => truncatedBy)).toEqual(["bytes", "bytes", "bytes", undefined]);
    expect(pages.every(({ totalCount }) => totalCount === 10)).toBe(true);
    const shown = pages.flatMap(({ traces }) => traces);
    expect(shown.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, at) => `t${9 - at}`));
    expect(shown.every(({ input }) => input === long)).toBe(true);
  });

  test("decompresses no more than it shows and a group, though the stored size is small", async () => {
    const projectId = newProject();
    const huge = "long ".repeat(400_000);
    for (let at = 0; at < 8; at += 1) await ingest.submit(projectId, { name: `t${at}`, input: `${huge}${at}` });
    let page: Page | null = null;
    const unpacked = await unpackedBy(async () => {
      page = await list(projectId);
    });
    expect(page).toMatchObject({ traces: { length: 1 }, hasNextPage: true, truncatedBy: "bytes" });
    // Two fit into a group of four megabytes; each is unpacked once to be composed and once to be shown.
    expect(unpacked).toBeLessThan(6 * huge.length);
  });

  test("has one trace whatever its size", async () => {
    const projectId = newProject();
    await ingest.submit(projectId, { name: "first", input: "small" });
    await ingest.submit(projectId, { name: "second", input: long.repeat(10) });
    const pages = await readPages(projectId);
    expect(pages.map(({ traces }) => traces.map(({ name }) => name))).toEqual([["second"], ["first"]]);
  });

  test("is not cut in previews, which are small", async () => {
    const projectId = newProject();
    for (let at = 0; at < 10; at += 1) await ingest.submit(projectId, { name: `t${at}`, input: long });
    const page = await list(projectId, "&view=preview");
    expect(page).toMatchObject({ traces: { length: 10 }, hasNextPage: false });
    expect(page).not.toHaveProperty("truncatedBy");
  });

  test("counts fields that a trace borrows of its spans, which are no more than it shows", async () => {
    const projectId = newProject();
    const span = (traceAt: number, at: number, more: object) => ({
      traceId: `${traceAt + 1}`.padStart(32, "0"),
      spanId: `${(traceAt + 1) * 100 + at}`.padStart(16, "0"),
      startTimeUnixNano: `${BigInt(Date.now()) * 1_000_000n}`,
      ...more,
    });
    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const tool = (traceAt: number, at: number) =>
      span(traceAt, at, {
        parentSpanId: `${(traceAt + 1) * 100}`.padStart(16, "0"),
        name: `tool ${at}`,
        attributes: [
          attribute("openinference.span.kind", "TOOL"),
          attribute("input.value", `in ${at}`),
          attribute("output.value", `${long}${traceAt}.${at}`),
        ],
      });
    for (let traceAt = 0; traceAt < 3; traceAt += 1) {
      const root = span(traceAt, 0, {
        name: `agent ${traceAt}`,
        attributes: [attribute("openinference.span.kind", "AGENT")],
      });
      const spans = [root, ...Array.from({ length: 40 }, (_, at) => tool(traceAt, at + 1))];
      const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
      const sent: Reply = await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", {
        body,
        headers: { "content-type": "application/json" },
      });
      expect(sent.status, sent.text).toBe(200);
    }
    const pages = await readPages(projectId);
    expect(pages.map(({ traces }) => traces.length)).toEqual([1, 1, 1]);
    for (const {
      traces: [trace],
    } of pages) {
      const calls = (trace as unknown as { toolCalls: { input: string; output: string }[] }).toolCalls;
      expect(calls).toHaveLength(40);
      expect(calls.map(({ input }) => input)).toEqual(Array.from({ length: 40 }, (_, at) => `in ${at + 1}`));
      expect(calls.filter(({ output }) => output.startsWith("long")).length).toBeGreaterThan(10);
      expect(JSON.stringify(calls).length).toBeLessThan(1024 * 1024 + 20_000);
    }
  });
});

test("a session of more bytes than are held is read and sent in parts, and is whole", async () => {
  const projectId = newProject();
  for (let at = 0; at < 6; at += 1)
    await ingest.submit(projectId, { name: `t${at}`, session_id: "s", input: `${long}${at}` });
  const reply = await ingest.call(projectId, "GET", "/api/v1/ingest/sessions/s/spans");
  // The stored size is small: the bytes of the answer decide.
  expect(reply.headers.get("transfer-encoding")).toBe("chunked");
  expect(reply.json.spans.map(({ input }: { input: string }) => input)).toEqual(
    Array.from({ length: 6 }, (_, at) => `${long}${at}`),
  );
});
