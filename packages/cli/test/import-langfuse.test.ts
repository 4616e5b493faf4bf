import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { observationEvent, scoreEvent, traceEvent, traceOfRoot } from "../src/langfuse/events.ts";
import { observation } from "../src/langfuse/held.ts";
import { openJournal } from "../src/langfuse/journal.ts";
import { cursorList, numberedList, observationList } from "../src/langfuse/lists.ts";
import { lossesOf } from "../src/langfuse/losses.ts";
import { itemsOf, membersOf } from "../src/langfuse/raw-json.ts";
import { fileList, openExportFile } from "../src/langfuse/read-files.ts";
import { report } from "../src/langfuse/report.ts";
import { Row } from "../src/langfuse/row.ts";
import { createSource } from "../src/langfuse/source.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-import-"));
  return () => rm(folder, { recursive: true, force: true });
});

type Reply = { status?: number; headers?: Record<string, string>; body: unknown };

/** A scripted Langfuse. */
async function startLangfuse(
  answer: (url: URL, request: IncomingMessage) => Reply,
  { requestsPerMinute = 60_000 } = {},
) {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://langfuse");
    asked.push(url);
    const { status = 200, headers = {}, body } = answer(url, request);
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const notes: string[] = [];
  const source = createSource({
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, publicKey: "pk", secretKey: "sk" },
    ...{ requestsPerMinute, signal: new AbortController().signal, firstPauseMs: 1 },
    note: (text) => void notes.push(text),
  });
  return { source, asked, notes };
}

const empty = { data: [], meta: {} };

describe("a source", () => {
  test("is asked with its keys, and without parameters that are not stated", async () => {
    const { source, asked } = await startLangfuse((_, { headers }) => ({ body: { seen: headers.authorization } }));
    expect(await source.get("/traces", { page: 1, fromTimestamp: null })).toBe('{"seen":"Basic cGs6c2s="}');
    expect(asked[0]?.pathname + String(asked[0]?.search)).toBe("/api/public/traces?page=1");
  });

  test("is asked no more often than the rate says", async () => {
    const { source } = await startLangfuse(() => ({ body: empty }), { requestsPerMinute: 1_200 });
    const startMs = performance.now();
    for (let request = 0; request < 5; request += 1) await source.get("/traces");
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(199);
  });

  test("that answers 429 is asked again after the time it states", async () => {
    let requests = 0;
    const { source, notes } = await startLangfuse(() => {
      requests += 1;
      return requests === 1 ? { status: 429, headers: { "retry-after": "0.3" }, body: "{}" } : { body: empty };
    });
    const startMs = performance.now();
    await source.get("/traces");
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(299);
    expect(notes.join()).toContain("was answered 429");
  });

  test.each([500, 502, 503, 408])("that answers %i, or no JSON, is asked again", async (status) => {
    const replies: Reply[] = [{ status, body: "broken" }, { body: "<html>" }, { body: empty }];
    const { source, asked } = await startLangfuse(() => replies.shift() ?? { body: empty });
    expect(await source.get("/traces")).toBe(JSON.stringify(empty));
    expect(asked).toHaveLength(3);
  });

  test("that keeps failing ends the command, which can go on later", async () => {
    const { source, asked } = await startLangfuse(() => ({ status: 500, body: { message: "down" } }));
    await expect(source.get("/traces")).rejects.toThrow(/500.*Run the same command again to go on/);
    expect(asked).toHaveLength(9);
  });

  test.each([
    [401, "Langfuse refuses the keys (401)."],
    [400, "/traces was answered 400: no such field"],
  ])("that answers %i is not asked again", async (status, said) => {
    const { source, asked } = await startLangfuse(() => ({ status, body: "no such field" }));
    await expect(source.get("/traces")).rejects.toThrow(said);
    expect(asked).toHaveLength(1);
  });
});

describe("the content of a medium", () => {
  test.each([408, 429, 500, 503])("is asked for again after a %i", async (status) => {
    const replies: Reply[] = [{ status, headers: { "retry-after": "0" }, body: "sorry" }, { body: "content" }];
    const { source, asked, notes } = await startLangfuse(() => replies.shift() ?? { status: 404, body: "" });
    expect(String(await source.download(`${source.url}/content`, 100))).toBe("content");
    expect(asked).toHaveLength(2);
    expect(notes.join()).toContain(`was answered ${status}`);
  });

  test("is asked for again after its connection broke", async () => {
    let requests = 0;
    const { source } = await startLangfuse((_, { socket }) => {
      requests += 1;
      if (requests === 1) socket.destroy();
      return { body: "content" };
    });
    expect(String(await source.download(`${source.url}/content`, 100))).toBe("content");
  });

  test("that keeps failing ends the command, which shows no signature and can go on later", async () => {
    const { source, asked } = await startLangfuse(() => ({ status: 503, body: "down" }));
    const refused = await source.download(`${source.url}/content?signature=secret`, 100).catch((error) => error);
    expect(refused.message).toMatch(/\/content was answered 503.*Run the same command again to go on/);
    expect(refused.message).not.toContain("secret");
    expect(asked).toHaveLength(9);
  });

  test.each([
    ["refused", { status: 403, body: "no" }],
    ["too large", { body: "x".repeat(101) }],
  ])("that is %s is not asked for again", async (_, reply) => {
    const { source, asked } = await startLangfuse(() => reply);
    expect(await source.download(`${source.url}/content`, 100)).toBeNull();
    expect(asked).toHaveLength(1);
  });
});

describe("a list", () => {
  const ids = (rows: readonly Row[]) => rows.map((row) => row.id());

  test("with numbered pages ends with the last, goes on at a position, and is empty where the source has none", async () => {
    const { source } = await startLangfuse((url) => {
      const page = Number(url.searchParams.get("page"));
      return url.pathname.endsWith("/none")
        ? { status: 404, body: {} }
        : { body: { data: [{ id: `row ${page}` }], meta: { page, totalPages: 3 } } };
    });
    const list = numberedList(source, "/traces", {});
    expect((await list(null)).next).toBe("2");
    const last = await list("3");
    expect([ids(last.rows), last.next]).toEqual([["row 3"], null]);
    expect(await numberedList(source, "/none", {})(null)).toEqual({ rows: [], next: null });
  });

  test("with cursors is refused when its cursor stays", async () => {
    const { source } = await startLangfuse(() => ({ body: { data: [], meta: { cursor: "same" } } }));
    const list = cursorList(source, "/v3/scores", {});
    expect((await list(null)).next).toBe("same");
    await expect(list("same")).rejects.toThrow("its cursor stays as it is");
  });

  test("of observations reads metadata again that were cut, and says which it could not have", async () => {
    const long = "x".repeat(300);
    const { source, asked } = await startLangfuse((url) => {
      const isWhole = url.searchParams.get("expandMetadata") === "k";
      const rows = [
        { id: "1", traceId: "t", metadata: { short: "a", k: isWhole ? long : long.slice(0, 200) } },
        { id: "2", traceId: "t", metadata: { "k,2": long.slice(0, 200) } },
      ];
      return { body: { data: rows, meta: {} } };
    });
    const { rows, lost } = await observationList(source, { limit: 2 })("here");
    expect(rows[0]?.value("metadata")).toEqual({ short: "a", k: long });
    expect(lost).toEqual([{ member: "observation.metadata.k,2, after 200 characters", id: "2" }]);
    expect(asked.map(({ searchParams }) => searchParams.get("cursor"))).toEqual(["here", "here"]);
  });
});

describe("JSON is split as it is spelled", () => {
  test("with the digits of numbers, escapes and nested values", () => {
    const text = '{ "a" : 1.0, "b\\"":{"c":[1e3,"]}\\\\"]} ,"d":[ ] , "e":null,"a":2.50}';
    expect([...membersOf(text)]).toEqual([
      ["a", "2.50"],
      ['b"', '{"c":[1e3,"]}\\\\"]}'],
      ["d", "[ ]"],
      ["e", "null"],
    ]);
    expect(itemsOf('[ 1.0 , "," , {"x":[2]} ]')).toEqual(["1.0", '","', '{"x":[2]}']);
    expect([itemsOf("[]"), itemsOf("{}"), [...membersOf("[]")]]).toEqual([[], [], []]);
  });
});

describe("an event", () => {
  const observed = (more: object = {}) =>
    new Row(JSON.stringify({ id: "o", traceId: "t", type: "GENERATION", startTime: "2026-01-02T03:04:05Z", ...more }));

  test("of an observation carries any JSON as text, so that its numbers stay", () => {
    const row = new Row(
      '{"id":"o","traceId":"t","startTime":"2026-01-02T03:04:05Z","input":{"n":1.0},"output":"x","metadata":{"m":2.50,"z":null}}',
    );
    const { body } = JSON.parse(observationEvent(row).text);
    expect(body).toMatchObject({ input: '{"n":1.0}', output: "x", metadata: { m: "2.50" } });
  });

  test("is the same for the same row, and another for a changed row", () => {
    expect(observationEvent(observed()).id).toBe(observationEvent(observed()).id);
    expect(observationEvent(observed()).id).not.toBe(observationEvent(observed({ name: "n" })).id);
  });

  test("of a trace states when the row was changed, so that a changed row counts after what it was", () => {
    const row = (name: string, updatedAt: string) =>
      new Row(JSON.stringify({ id: "t", timestamp: "2026-01-02T03:04:05Z", name, updatedAt }));
    const made = traceEvent(row("n", "2026-01-03T00:00:00Z"));
    expect(JSON.parse(made.text)).toMatchObject({
      timestamp: "2026-01-02T03:04:05Z",
      body: { timestamp: "2026-01-02T03:04:05Z", updatedAt: "2026-01-03T00:00:00Z" },
    });
    expect(traceEvent(row("n", "2026-01-03T00:00:00Z")).id).toBe(made.id);
    expect(traceEvent(row("n", "2026-01-04T00:00:00Z")).id).not.toBe(made.id);
    const ofRoot = traceOfRoot(observed({ updatedAt: "2026-01-03T00:00:00Z" }));
    expect(JSON.parse(ofRoot?.text ?? "").body).toMatchObject({ updatedAt: "2026-01-03T00:00:00Z" });
  });

  test("of version 4 has the total cost and the model under its names there", () => {
    const row = observed({ providedModelName: "gpt", costDetails: { input: 0.1 }, totalCost: 0.3 });
    const { text, held } = observationEvent(row);
    expect(JSON.parse(text).body).toMatchObject({ model: "gpt", costDetails: { input: 0.1, total: 0.3 } });
    expect(held.numbers.at(-1)).toBe(0.3);
  });

  test("of a root says what its trace is; an observation with a parent says nothing of it", () => {
    const row = observed({ traceName: "chat", userId: "u", tags: ["a"], input: "hi", metadata: { of: "observation" } });
    const made = traceOfRoot(row);
    expect(JSON.parse(made?.text ?? "")).toMatchObject({
      body: { id: "t", name: "chat", userId: "u", tags: ["a"], input: "hi" },
    });
    expect(JSON.parse(made?.text ?? "").body).not.toHaveProperty("metadata");
    expect(traceOfRoot(observed({ parentObservationId: "p" }))).toBeNull();
  });

  test.each([
    [
      { dataType: "BOOLEAN", value: 1, stringValue: "True", traceId: "t" },
      { value: true, traceId: "t" },
    ],
    [
      { dataType: "CATEGORICAL", value: 0, stringValue: "good", sessionId: "s" },
      { value: "good", sessionId: "s" },
    ],
    [
      { dataType: "NUMERIC", value: 0, datasetRunId: "r" },
      { value: 0, datasetRunId: "our run" },
    ],
    [
      { dataType: "BOOLEAN", value: false, subject: { kind: "observation", id: "o", traceId: "t" } },
      { value: false, observationId: "o", traceId: "t" },
    ],
    [
      { dataType: "TEXT", value: "fine", subject: { kind: "session", id: "s" } },
      { value: "fine", sessionId: "s" },
    ],
    [
      { dataType: "NUMERIC", value: 0.5, subject: { kind: "experiment", id: "r" } },
      { value: 0.5, datasetRunId: "our run" },
    ],
  ])("of the score %j", (score, body) => {
    const row = new Row(JSON.stringify({ id: "1", name: "n", timestamp: "2026-01-02T03:04:05Z", ...score }));
    const sent = JSON.parse(scoreEvent(row, (id) => (id === "r" ? "our run" : undefined)).text);
    expect(sent.body).toMatchObject(body);
  });

  test("names what has no place, but not what says nothing or follows from the rest", () => {
    const row = observed({ bookmarked: true, public: false, latency: 3, invented: { a: 1 }, environment: "default" });
    expect(lossesOf("observation", row, "o")).toEqual([
      { member: "observation.bookmarked", id: "o" },
      { member: "observation.invented", id: "o" },
    ]);
  });
});

describe("a journal", () => {
  const subject = { source: "http://langfuse", target: "http://touchstone", from: null, to: null };
  const entry = (id: string, next: string | null) => ({
    ...{ stream: "observations", next, refused: [], lost: [], names: {} },
    rows: [{ held: row(id), scope: "trace" }],
  });
  const row = (id: string, input = 1) =>
    observation(id, { startMs: 0, endMs: 1, input, output: 2, cached: 0, cost: 0.5 });
  const open = (more: object = {}) => openJournal(folder, { ...subject, ...more }, () => undefined);

  test("has what was written, also after a line that a kill tore", async () => {
    const first = await open();
    expect(first.position("observations")).toBeUndefined();
    await first.write(entry("a", "2"));
    await first.close();
    await appendFile(path.join(folder, "journal.jsonl"), '{"stream":"observations","next":"3","rows":[{"he');
    const second = await open();
    expect([second.position("observations"), second.counts()]).toEqual(["2", { observation: 1 }]);
    await second.write(entry("a", "3"));
    await second.write(entry("b", null));
    await second.close();
    const third = await open();
    expect([third.position("observations"), third.counts()]).toEqual([null, { observation: 2 }]);
    expect(third.subject.to).toBe(first.subject.to);
    await third.close();
  });

  test("has the rows whose ids have characters that end a line elsewhere", async () => {
    const journal = await open();
    await journal.write(entry("a\u2028b", null));
    await journal.close();
    const again = await open();
    expect([again.position("observations"), again.rows()]).toEqual([null, [row("a\u2028b")]]);
    await again.close();
  });

  test("of another import, and what is no journal, are refused", async () => {
    await (await open()).close();
    await expect(open({ target: "http://other" })).rejects.toThrow("with another target: http://touchstone");
    await expect(open({ from: "2026-01-01" })).rejects.toThrow("State another folder with --journal.");
    expect(await readFile(path.join(folder, ".gitignore"), "utf8")).toBe("*\n");
  });

  test("is compared with what is held: equal, altered, missing and stored twice", async () => {
    const journal = await open();
    await journal.write(entry("a", null));
    await journal.write(entry("b", null));
    const differences = (held: Parameters<typeof report>[1]) => report(journal, held).differences;

    expect(report(journal, [row("b"), row("a")])).toMatchObject({ equal: true, differences: [] });
    expect(differences([row("a", 2), row("b")])).toMatchObject([{ problem: "altered", count: 1, id: "a" }]);
    expect(differences([row("a")])).toMatchObject([{ problem: "missing", count: 1, id: "b" }]);
    expect(differences([row("a"), row("a"), row("b")])).toMatchObject([{ problem: "stored more than once", id: "a" }]);
    expect(report(journal, [row("a")])).toMatchObject({ equal: false });
    await journal.close();
  });
});

describe("an export file", () => {
  test("has a row a line, also where text has characters that end a line elsewhere", async () => {
    const file = path.join(folder, "rows.jsonl");
    const texts = ["a\u2028b", "a\u2029b", "a\u0085b"];
    const lines = texts.map((name) => JSON.stringify({ id: "1", timestamp: "2026-01-01T00:00:00Z", name }));
    await writeFile(file, lines.join("\r\n"));
    expect(await openExportFile(file)).toMatchObject({ kind: "traces" });
    expect((await fileList(file)(null)).rows.map((row) => row.text("name"))).toEqual(texts);
  });

  test("is read in pages from any position, also with empty lines", async () => {
    const file = path.join(folder, "rows.jsonl");
    const lines = Array.from(
      { length: 1_200 },
      (_, index) => `{"id":"${index}","start_time":"2026-01-01 00:00:00.000"}\n`,
    );
    await writeFile(file, `\n${lines.join("\n")}`);
    expect(await openExportFile(file)).toMatchObject({ kind: "observations" });
    const list = fileList(file);
    const first = await list(null);
    const second = await list(first.next);
    const resumed = await fileList(file)(second.next);
    expect([first.rows.length, second.rows.length, resumed.rows.length, resumed.next]).toEqual([500, 500, 200, null]);
    expect([resumed.rows[0]?.id(), resumed.rows[0]?.time("startTime")]).toEqual(["1000", "2026-01-01T00:00:00.000Z"]);
  });

  test.each(['{"a":1}', "[]", ""])("is refused if it begins with %j", async (text) => {
    const file = path.join(folder, "rows.jsonl");
    await writeFile(file, text);
    await expect(openExportFile(file)).rejects.toThrow("is no export of Langfuse");
  });
});
