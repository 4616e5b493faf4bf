import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { projectReply, registeredMedia, shownMedia, submitTraceReply } from "@touchstone/contracts";
import { buildTrace } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../src/client.ts";
import { useCombined } from "../src/use-combined.ts";

const cli = path.resolve(import.meta.dirname, "../../../packages/cli/src/main.ts");

let folder: string;

const { system, client: api } = useCombined();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-cli-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const touchstone = (args: string[], apiKey = system.apiKey) =>
  promisify(execFile)(process.execPath, [cli, ...args], {
    cwd: folder,
    env: { ...process.env, TOUCHSTONE_URL: system.url, TOUCHSTONE_API_KEY: apiKey },
  });

async function sendTrace(): Promise<string> {
  const schema = submitTraceReply;
  return (await api.expect({ status: 201, schema }, "POST", "/ingest/traces", buildTrace({}))).trace_id;
}

test("the command line exports media with their contents, and imports them again with their links", async () => {
  const content = randomBytes(1_200_000);
  const sha256 = createHash("sha256").update(content).digest("base64");
  const described = { contentType: "image/png", contentLength: content.length, sha256 };
  const traces = [await sendTrace(), await sendTrace()];
  for (const traceId of traces) {
    const announced = { ...described, traceId, field: "input" };
    const schema = registeredMedia;
    const { uploadUrl } = await api.expect({ status: 201, schema }, "POST", "/media", announced);
    if (uploadUrl !== null) await fetch(uploadUrl, { method: "PUT", body: content });
  }

  const exported = await touchstone(["export", "media", "--output", "out", "--json"]);

  expect(JSON.parse(exported.stdout)).toEqual([{ entity: "media", rows: 2, file: "out/media.ndjson" }]);
  const [first] = (await readFile(path.join(folder, "out/media.ndjson"), "utf8")).split("\n");
  const { id } = JSON.parse(first ?? "") as { id: string };
  expect((await readFile(path.join(folder, "out/media", id))).equals(content)).toBe(true);
  const again = await touchstone(["import", "out/media.ndjson", "--json"]);
  expect(JSON.parse(again.stdout)).toEqual({ stored: 0, replayed: 2, missing: 0 });

  for (const traceId of traces) await api.send("DELETE", `/ingest/traces/${traceId}`);
  expect((await api.send("GET", `/media/${id}`)).status).toBe(404);
  const restored = await touchstone(["import", "out/media.ndjson", "--json"]);
  expect(JSON.parse(restored.stdout)).toEqual({ stored: 1, replayed: 1, missing: 0 });
  const { url } = await api.expect({ status: 200, schema: shownMedia }, "GET", `/media/${id}`);
  expect(Buffer.from(await (await fetch(url ?? "")).arrayBuffer()).equals(content)).toBe(true);
});

test("a medium without its file does not keep the others from being imported", async () => {
  const contents = [randomBytes(10), randomBytes(20)];
  const { project } = await api.expect({ status: 201, schema: projectReply }, "POST", "/projects", { name: "gap" });
  const own = createClient({ url: system.url, apiKey: project.apiKey ?? "" });
  for (const [at, content] of contents.entries()) {
    const sha256 = createHash("sha256").update(content).digest("base64");
    const announced = { contentType: "image/png", contentLength: content.length, sha256, datasetItemId: `${at}` };
    const schema = registeredMedia;
    const { uploadUrl } = await own.expect({ status: 201, schema }, "POST", "/media", announced);
    await fetch(uploadUrl ?? "", { method: "PUT", body: content });
  }
  await touchstone(["export", "media", "--output", "gap"], project.apiKey ?? "");
  const [first] = (await readFile(path.join(folder, "gap/media.ndjson"), "utf8")).split("\n");
  await rm(path.join(folder, "gap/media", JSON.parse(first ?? "").id));

  const { project: other } = await api.expect({ status: 201, schema: projectReply }, "POST", "/projects", {
    name: "b",
  });
  const imported = await touchstone(["import", "gap/media.ndjson", "--json"], other.apiKey ?? "").catch(
    (error) => error,
  );
  expect([imported.code, JSON.parse(imported.stdout)]).toEqual([1, { stored: 1, replayed: 0, missing: 1 }]);
  expect(imported.stderr).toContain(`${JSON.parse(first ?? "").id} is missing`);
});

test("media of an item of a dataset are its own also after they were moved to another project", async () => {
  const content = randomBytes(100);
  const sha256 = createHash("sha256").update(content).digest("base64");
  const described = { contentType: "image/png", contentLength: content.length, sha256 };
  const announced = { ...described, datasetItemId: "item-1", field: "input" };
  const { id, uploadUrl } = await api.expect({ status: 201, schema: registeredMedia }, "POST", "/media", announced);
  await fetch(uploadUrl ?? "", { method: "PUT", body: content });
  const { project } = await api.expect({ status: 201, schema: projectReply }, "POST", "/projects", { name: "other" });
  const readLine = async (file: string) =>
    (await readFile(path.join(folder, file), "utf8"))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .find((line) => line.id === id);
  await touchstone(["export", "media", "--output", "items"]);
  await touchstone(["import", "items/media.ndjson"], project.apiKey ?? "");
  await touchstone(["export", "media", "--output", "moved"], project.apiKey ?? "");

  const place = { traceId: null, spanId: null, datasetItemId: "item-1", field: "input" };
  expect(await readLine("items/media.ndjson")).toMatchObject(place);
  expect(await readLine("moved/media.ndjson")).toMatchObject(place);
});
