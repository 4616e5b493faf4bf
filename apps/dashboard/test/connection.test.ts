import { afterEach, expect, test, vi } from "vitest";
import { adminRequests } from "../src/api/access.gen.ts";
import { connect, credentialHeaders, disconnect, forgetDisconnect, storeKey } from "../src/api/connection.ts";

afterEach(() => vi.unstubAllGlobals());

const projects = [
  { _id: "p1", name: "Default", apiKey: "key-1", isDefault: true, createdAt: "2026-01-01T00:00:00.000Z" },
  { _id: "p2", name: "Other", apiKey: "key-2", isDefault: false, createdAt: "2026-01-01T00:00:00.000Z" },
];
const open = { mode: "disabled", needsSetup: false, apiKey: "key-1" };
const user = { id: "u1", name: "Olga", email: "olga@example.org" };
const accounts = { mode: "enabled", needsSetup: false };

/** A server whose projects are accessible with these keys, or with the cookie that the browser sends. */
function serve(config: object, opens: (key: string | null) => boolean): void {
  vi.stubGlobal("fetch", async (path: string, { headers }: { headers: Record<string, string> }) => {
    if (path === "/api/v1/auth/config") return Response.json(config);
    const isOpen = opens(headers["x-api-key"] ?? null);
    if (path === "/api/v1/auth/get-session") return Response.json(isOpen ? { session: {}, user } : null);
    return isOpen
      ? Response.json({ projects })
      : Response.json({ error: "Invalid or missing API key" }, { status: 401 });
  });
}

function memory(entries: Record<string, string> = {}) {
  const map = new Map(Object.entries(entries));
  return {
    getItem: (name: string) => map.get(name) ?? null,
    setItem: (name: string, value: string) => void map.set(name, value),
    removeItem: (name: string) => void map.delete(name),
  };
}

/** The method and the path of `GET /path`. */
function splitRequest(request: string): [string, string] {
  const [method = "", path = ""] = request.split(" ");
  return [method, path];
}

test("without accounts the default project opens by itself and its key is kept", async () => {
  serve(open, (key) => key === "key-1");
  const storage = memory();
  expect(await connect(storage)).toMatchObject({ state: "ready", projects: [{ _id: "p1" }, { _id: "p2" }] });
  expect(storage.getItem("touchstone.apiKey")).toBe("key-1");
});

test("a pasted key comes before the default one, and its project first", async () => {
  serve(open, () => true);
  const storage = memory();
  storeKey(storage, " key-2 ");
  expect(await connect(storage)).toMatchObject({ state: "ready", projects: [{ _id: "p2" }, { _id: "p1" }] });
});

test("a stored key that was rotated is replaced by the default project's", async () => {
  serve(open, (key) => key === "key-1");
  const storage = memory({ "touchstone.apiKey": "old" });
  expect(await connect(storage)).toMatchObject({ state: "ready" });
  expect(storage.getItem("touchstone.apiKey")).toBe("key-1");
});

test("after Disconnect a key has to be pasted, until the default project is asked for", async () => {
  serve(open, (key) => key === "key-1");
  const storage = memory({ "touchstone.apiKey": "key-1" });
  disconnect(storage);
  expect(await connect(storage)).toEqual({ state: "needs-key", reason: null });
  forgetDisconnect(storage);
  expect(await connect(storage)).toMatchObject({ state: "ready" });
});

test("with accounts nothing is stored, and without a session the user has to sign in", async () => {
  const storage = memory();
  serve(accounts, () => false);
  expect(await connect(storage)).toEqual({ state: "needs-sign-in" });
  serve(accounts, (key) => key === null);
  expect(await connect(storage)).toMatchObject({ state: "ready", user });
  expect(storage.getItem("touchstone.apiKey")).toBeNull();
});

test("with accounts the project is named, and only requests that take no session are sent its key", () => {
  const config = accounts as unknown as Parameters<typeof credentialHeaders>[0];
  const project = { _id: "p2", apiKey: "key-2" };
  const headers = (method: string, path: string) => credentialHeaders(config, project, { method, path });
  const named = { "x-project-id": "p2" };
  expect(headers("GET", "/api/v1/ingest/traces")).toEqual(named);
  expect(headers("POST", "/api/v1/monitor/patterns")).toEqual(named);
  expect(headers("POST", "/api/v1/ingest/traces/1/evaluate")).toEqual({ "x-api-key": "key-2" });
  expect(headers("GET", "/api/v1/ingest/traces/1/evaluate")).toEqual(named);
  // A key that is sent wins over the cookie: the role of the user would not be checked.
  expect(headers("DELETE", "/api/v1/ingest/traces/1")).toEqual(named);
  expect(headers("DELETE", "/api/v1/ingest/traces")).toEqual(named);
  expect(adminRequests.map((request) => headers(...splitRequest(request)))).toEqual(adminRequests.map(() => named));
});
