import { afterEach, beforeEach, expect, test, vi } from "vitest";

const project = { _id: "p1", name: "Default", apiKey: "key-1", isDefault: true, createdAt: "2026-01-01T00:00:00.000Z" };
let asked: string[] = [];

beforeEach(() => {
  asked = [];
  // Prefetched reads are kept for the lifetime of a page.
  vi.resetModules();
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
  vi.stubGlobal("fetch", async (path: string, { headers }: { headers: Record<string, string> }) => {
    asked.push(`${path} ${headers["x-api-key"] ?? "-"}`);
    if (path === "/api/v1/auth/config") return Response.json({ mode: "disabled", apiKey: "key-1" });
    return path === "/api/v1/projects" ? Response.json({ projects: [project] }) : new Response(path);
  });
});
afterEach(() => vi.unstubAllGlobals());

const ahead = () => import("../src/api/ahead.ts");
const ofConnection = ["/api/v1/auth/config -", "/api/v1/projects key-1"];
const outline = "/api/v1/ingest/traces/t1/outline";

test("a trace and its spans are asked for once it is known who asks, and each answer is taken once", async () => {
  const { beginReads, takeConnection, takeRead } = await ahead();
  expect(beginReads("/p/p1/traces/t1")).toBe(true);
  expect(beginReads("/p/p1/traces/t1")).toBe(true);
  expect(await takeConnection()).toMatchObject({ state: "ready", projects: [project] });
  expect(asked).toEqual([...ofConnection, `${outline} key-1`, "/api/v1/ingest/traces/t1 key-1"]);
  expect(takeRead({ _id: "p2" }, outline)).toBeUndefined();
  expect(await (await takeRead(project, outline))?.text()).toBe(outline);
  expect(takeRead(project, outline)).toBeUndefined();
});

test.each(["/", "/p/p1", "/p/p1/traces", "/p/another/traces/t1"])(
  "nothing but who asks is asked for %s",
  async (path) => {
    const { beginReads, takeConnection } = await ahead();
    expect(beginReads(path)).toBe(true);
    await takeConnection();
    expect(asked).toEqual(ofConnection);
  },
);

test("nothing is asked for pages without a project, nor by an early script that comes late", async () => {
  const { beginReads, takeConnection } = await ahead();
  expect(beginReads("/sign-in")).toBe(false);
  expect(asked).toEqual([]);
  await takeConnection();
  expect(beginReads("/p/p1/traces/t1")).toBe(true);
  await takeConnection();
  expect(asked).toEqual([...ofConnection, ...ofConnection]);
});

test("a failure to ask the server reaches the caller who takes the connection, and the next one asks again", async () => {
  const { beginReads, takeConnection } = await ahead();
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("fetch failed");
  });
  beginReads("/p/p1/traces/t1");
  await expect(takeConnection()).rejects.toMatchObject({ name: "ApiProblem", status: 0 });
  vi.stubGlobal("fetch", async () => Response.json({ mode: "disabled", apiKey: null }));
  expect(await takeConnection()).toMatchObject({ state: "needs-key" });
});
