import { createHash, randomBytes } from "node:crypto";
import { accountOriginHeader, limits } from "@touchstone/contracts";
import { systemClock, uuidv7 } from "@touchstone/service-kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSignedAddresses } from "../src/media/signed-addresses.ts";
import { removeUnnamedMedia } from "../src/media/unnamed-media-store.ts";
import { createOldSpansStore } from "../src/retention/old-spans-store.ts";
import { sweepOldSpans } from "../src/retention/sweep-old-spans.ts";
import { createTraceRemover } from "../src/trace-store/removing/trace-remover.ts";
import { type Reply, useIngest } from "./running-ingest.ts";

let nowMs = Date.now();
const { ingest, pools } = useIngest({ clock: { ...systemClock, now: () => nowMs } });

const mediaPath = "/api/v1/media";
const newProject = (): string => uuidv7(Date.now());
const sha256Of = (content: Buffer): string => createHash("sha256").update(content).digest("base64");
const describeContent = (content: Buffer, contentType = "image/png") => ({
  ...{ contentType, contentLength: content.length },
  sha256: sha256Of(content),
});
const idOf = (content: Buffer): string => Buffer.from(sha256Of(content), "base64").toString("base64url").slice(0, 22);

const announce = (projectId: string, body: object): Promise<Reply> =>
  ingest.call(projectId, "POST", mediaPath, { body: JSON.stringify(body) });
const show = (projectId: string, id: string): Promise<Reply> => ingest.call(projectId, "GET", `${mediaPath}/${id}`);
/** As the gateway passes on what comes without a key. */
const put = (url: string, content: Buffer): Promise<Reply> =>
  ingest.call(null, "PUT", url, { body: content, headers: { "content-type": "image/png" } });
const read = (url: string): Promise<Reply> => ingest.call(null, "GET", url);

async function store(projectId: string, content: Buffer, more: object = {}): Promise<string> {
  const announced = await announce(projectId, { ...describeContent(content), ...more });
  expect(announced.status).toBe(201);
  expect((await put(announced.json.uploadUrl, content)).status).toBe(200);
  return announced.json.id;
}

const isStored = async (projectId: string, id: string): Promise<boolean> => {
  const { status, json } = await show(projectId, id);
  return status === 200 && json.uploadedAt !== null;
};

async function submit(projectId: string): Promise<string> {
  const reply = await ingest.submit(projectId, { name: "agent" });
  expect(reply.status).toBe(201);
  return reply.json.traceId;
}

async function sweepAt(atMs: number): Promise<void> {
  await removeUnnamedMedia(pools.maintenance, new Date(atMs), () => true);
}

test("media are announced by their hash, uploaded without a key to a signed address, and read at another", async () => {
  const projectId = newProject();
  const content = randomBytes(3 * 1024 * 1024 + 17);
  const announced = await announce(projectId, describeContent(content));
  expect([announced.status, announced.json]).toEqual([
    201,
    {
      id: idOf(content),
      uploadUrl: expect.stringMatching(/^\/api\/v1\/media\/uploads\//),
      expiresAt: expect.any(String),
    },
  ]);
  expect(Date.parse(announced.json.expiresAt) - nowMs).toBe(15 * 60 * 1000);
  const before = await show(projectId, announced.json.id);
  expect(before.json).toMatchObject({ contentLength: content.length, uploadedAt: null, url: null, urlExpiry: null });

  const uploaded = await put(announced.json.uploadUrl, content);
  expect([uploaded.status, uploaded.text]).toEqual([200, ""]);

  const { json: shown } = await show(projectId, announced.json.id);
  expect(shown).toMatchObject({ id: idOf(content), contentType: "image/png", uploadedAt: expect.any(String) });
  const answer = await read(shown.url);
  expect(answer.status).toBe(200);
  expect(answer.bytes.equals(content)).toBe(true);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "image/png",
    "content-disposition": "inline",
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=3600, immutable",
  });
});

test("content that is stored is not asked for again, and an upload may be repeated", async () => {
  const projectId = newProject();
  const content = randomBytes(100);
  const announced = await announce(projectId, describeContent(content));
  await put(announced.json.uploadUrl, content);

  expect((await put(announced.json.uploadUrl, content)).status).toBe(200);
  const again = await announce(projectId, { ...describeContent(content, "text/plain"), traceId: "another" });

  expect([again.status, again.json]).toEqual([201, { id: idOf(content), uploadUrl: null, expiresAt: null }]);
  const { json } = await show(projectId, idOf(content));
  expect(json.contentType).toBe("image/png");
  expect((await read(json.url)).bytes.equals(content)).toBe(true);
});

test("an address is absolute where the gateway says how the client reached it", async () => {
  const headers = { [accountOriginHeader]: "https://touchstone.example" };
  const body = JSON.stringify(describeContent(randomBytes(10)));
  const { json } = await ingest.call(newProject(), "POST", mediaPath, { body, headers });
  expect(json.uploadUrl).toMatch(/^https:\/\/touchstone\.example\/api\/v1\/media\/uploads\//);
});

describe("an upload that is not what was announced stores nothing", () => {
  const content = randomBytes(2000);
  const wrong = (sentence: string) => [400, { error: sentence }];

  test.each([
    ["another hash", randomBytes(2000), wrong("The content has another SHA-256 than was announced.")],
    ["too short", content.subarray(1), wrong("The content was announced with 2000 bytes, but has 1999.")],
    ["too long", Buffer.concat([content, content]), wrong("The content was announced with 2000 bytes, but has more.")],
  ])("%s", async (_what, sent, refusal) => {
    const projectId = newProject();
    const { json } = await announce(projectId, describeContent(content));

    const answer = await put(json.uploadUrl, sent);

    expect([answer.status, answer.json]).toEqual(refusal);
    expect(await isStored(projectId, json.id)).toBe(false);
    expect((await put(json.uploadUrl, content)).status).toBe(200);
  });

  test("more than 20 MiB", async () => {
    const { json } = await announce(newProject(), describeContent(content));
    expect((await put(json.uploadUrl, Buffer.alloc(limits.mediaMaxBytes + 1))).status).toBe(400);
    const tooLarge = { ...describeContent(content), contentLength: limits.mediaMaxBytes + 1 };
    expect((await announce(newProject(), tooLarge)).status).toBe(400);
  });
});

describe("a signed address", () => {
  const content = randomBytes(64);

  test("works for its own use only, and not once it is changed", async () => {
    const projectId = newProject();
    const { json } = await announce(projectId, describeContent(content));
    const { uploadUrl } = json;
    await put(uploadUrl, content);
    const { url } = (await show(projectId, json.id)).json;
    const forged = createSignedAddresses("another secret").write({
      ...{ kind: "content", projectId, id: json.id, contentLength: 64, contentType: "image/png" },
      expiresAtMs: nowMs + 60_000,
    });
    const [upload, download] = [uploadUrl, url].map((address: string) => address.split("/").at(-1) ?? "");

    const refused = await Promise.all([
      put(`${mediaPath}/uploads/${download}`, content),
      read(`${mediaPath}/content/${upload}`),
      read(`${mediaPath}/content/${forged}`),
      read(`${mediaPath}/content/x.${"A".repeat(43)}`),
      read(url.replace("/content/", "/content/x")),
    ]);

    const error = "This address is not valid, or has expired; ask for a new one.";
    expect(refused.map(({ status, json: body }) => [status, body])).toEqual(refused.map(() => [403, { error }]));
  });

  test("expires", async () => {
    const projectId = newProject();
    const { json } = await announce(projectId, describeContent(content));
    await put(json.uploadUrl, content);
    const { url } = (await show(projectId, json.id)).json;
    const startMs = nowMs;
    try {
      nowMs = startMs + limits.mediaUploadMs + 1;
      expect((await put(json.uploadUrl, content)).status).toBe(403);
      expect((await read(url)).status).toBe(200);
      nowMs = startMs + limits.mediaReadMs + 1;
      expect((await read(url)).status).toBe(403);
    } finally {
      nowMs = startMs;
    }
  });
});

test("another project finds neither the media nor its content, and has its own of the same content", async () => {
  const [owner, other] = [newProject(), newProject()];
  const content = randomBytes(500);
  const id = await store(owner, content);

  expect((await show(other, id)).status).toBe(404);
  expect((await announce(other, describeContent(content))).json).toMatchObject({ id, uploadUrl: expect.any(String) });
  expect(await isStored(other, id)).toBe(false);
});

test("an address finds nothing once a part of the content is removed, or the project is deleted", async () => {
  const projectId = newProject();
  const content = randomBytes(2 * 1024 * 1024);
  const { json } = await announce(projectId, describeContent(content));
  const { url } = (await show(projectId, await store(projectId, content))).json;
  const answers = [];
  for (const text of [
    "delete from ingest.media_parts where project_id = $1 and number = 1",
    "insert into ingest.deleted_projects (project_id) values ($1)",
  ]) {
    await pools.maintenance.query({ name: "", text, values: [projectId] });
    answers.push(await read(url));
  }
  answers.push(await put(json.uploadUrl, content));
  const refusal = { status: 404, json: { error: "The media was deleted." } };
  expect(answers).toMatchObject([refusal, refusal, refusal]);
});

test("two contents whose hashes begin alike are not mistaken for each other", async () => {
  const projectId = newProject();
  const content = randomBytes(40);
  const id = await store(projectId, content);
  const other = Buffer.from(sha256Of(content), "base64");
  other[31] = (other[31] ?? 0) ^ 1;

  const refused = await announce(projectId, { ...describeContent(content), sha256: other.toString("base64") });

  expect([refused.status, refused.json]).toEqual([409, { error: "The project has other content with the same id." }]);
  expect(await isStored(projectId, id)).toBe(true);
});

test("what is not shown in place is downloaded, under a type that browsers do not run", async () => {
  const projectId = newProject();
  const shownAs = async (contentType: string): Promise<(string | null)[]> => {
    const id = await store(projectId, randomBytes(8), { contentType });
    const { headers } = await read((await show(projectId, id)).json.url);
    const disposition = headers.get("content-disposition");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    return [headers.get("content-type"), disposition === "inline" ? disposition : "attachment"];
  };

  expect(await shownAs("image/jpeg")).toEqual(["image/jpeg", "inline"]);
  expect(await shownAs("audio/wav")).toEqual(["audio/wav", "inline"]);
  expect(await shownAs("video/mp4")).toEqual(["video/mp4", "inline"]);
  expect(await shownAs("application/pdf")).toEqual(["application/pdf", "attachment"]);
  expect(await shownAs("text/plain")).toEqual(["text/plain; charset=utf-8", "attachment"]);
  for (const type of ["image/svg+xml", "text/html", "application/xhtml+xml", "audio/x+xml", "text/javascript", "a/b"]) {
    expect(await shownAs(type), type).toEqual(["application/octet-stream", "attachment"]);
  }
});

describe("media are removed", () => {
  test("with the last trace that names them, whichever came first", async () => {
    const projectId = newProject();
    const [early, late] = [await submit(projectId), await submit(projectId)];
    const content = randomBytes(2_000_000);
    const id = await store(projectId, content, { traceId: early, spanId: "a", field: "input" });
    await announce(projectId, { ...describeContent(content), traceId: late.toUpperCase() });

    await ingest.call(projectId, "DELETE", `/api/v1/ingest/traces/${early}`);
    expect(await isStored(projectId, id)).toBe(true);
    await ingest.call(projectId, "DELETE", `/api/v1/ingest/traces/${late}`);
    expect((await show(projectId, id)).status).toBe(404);
    const text = "select from ingest.media_parts where project_id = $1";
    const { rows } = await pools.maintenance.query({ name: "", text, values: [projectId] });
    expect(rows).toEqual([]);
  });

  test("with their trace, also while the sweep is just looking at them", async () => {
    const projectId = newProject();
    const traceId = await submit(projectId);
    const id = await store(projectId, randomBytes(10), { traceId });
    const removal = await pools.maintenance.transaction(async (sweep) => {
      const text =
        "update ingest.media_links set due_at = null where project_id = $1 returning pg_backend_pid() as pid";
      const { rows } = await sweep.query<{ pid: number }>({ name: "", text, values: [projectId] });
      const removing = ingest.call(projectId, "DELETE", `/api/v1/ingest/traces/${traceId}`);
      const waits = "select from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))";
      const wait = () => pools.maintenance.query({ name: "", text: waits, values: [rows[0]?.pid] });
      await vi.waitFor(async () => expect((await wait()).rows).toHaveLength(1), 20_000);
      return { removing };
    });
    await removal.removing;
    expect((await show(projectId, id)).status).toBe(404);
  });

  test("with an OpenTelemetry trace that is named by its own id", async () => {
    const projectId = newProject();
    const traceId = randomBytes(16).toString("hex");
    const id = await store(projectId, randomBytes(10), { traceId });
    const spans = [1, 2].map((number) => ({
      ...{ traceId, spanId: `${number}`.repeat(16), parentSpanId: number === 1 ? "" : "1".repeat(16), name: "span" },
      ...{ startTimeUnixNano: "1767225600000000000", endTimeUnixNano: "1767225601000000000" },
    }));
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);
    await sweepAt(nowMs + limits.mediaUnnamedMs + 1_000);
    expect(await isStored(projectId, id)).toBe(true);

    const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    await ingest.call(projectId, "DELETE", `/api/v1/ingest/traces/${json.traces[0]._id}`);

    expect((await show(projectId, id)).status).toBe(404);
  });

  test("after a day, if neither a stored trace nor an item of a dataset names them", async () => {
    const projectId = newProject();
    const named = await store(projectId, randomBytes(10), { traceId: await submit(projectId) });
    const unnamed = await store(projectId, randomBytes(10));
    const neverStored = await store(projectId, randomBytes(10), { traceId: "4711" });
    const ofItem = await store(projectId, randomBytes(10), { datasetItemId: "item-1" });
    const stored = () => Promise.all([named, unnamed, neverStored, ofItem].map((id) => isStored(projectId, id)));

    await sweepAt(nowMs + limits.mediaUnnamedMs - 60_000);
    expect(await stored()).toEqual([true, true, true, true]);
    await sweepAt(nowMs + limits.mediaUnnamedMs + 1_000);
    expect(await stored()).toEqual([true, false, false, true]);
  });

  test("by the retention of the project, also with weeks that no project keeps", async () => {
    const projectId = newProject();
    const ofAge = async (days: number): Promise<string> => {
      const timestamp = new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
      const { json } = await ingest.submit(projectId, { name: "agent", timestamp });
      return store(projectId, randomBytes(10), { traceId: json.traceId });
    };
    const ids = [await ofAge(400), await ofAge(31), await ofAge(1)];

    const [spans, remover] = [createOldSpansStore(pools.maintenance), createTraceRemover(pools.maintenance)];
    await sweepOldSpans({ store: spans, remover, retentionDays: 30, mayGoOn: () => true });

    expect(await Promise.all(ids.map((id) => isStored(projectId, id)))).toEqual([false, false, true]);
  });

  test("so that an upload to an address of before is refused", async () => {
    const projectId = newProject();
    const content = randomBytes(10);
    const { json } = await announce(projectId, describeContent(content));
    await sweepAt(nowMs + limits.mediaUnnamedMs + 1_000);
    const refusal = { status: 404, json: { error: "The media was deleted; announce it again." } };
    expect(await put(json.uploadUrl, content)).toMatchObject(refusal);
  });
});

test("a body that is wrong is refused with a sentence", async () => {
  const right = describeContent(randomBytes(4));
  for (const [wrong, error] of [
    [{ contentType: "text/html; a=b" }, "contentType must be a media type without parameters, such as image/png"],
    [{ sha256: "abc" }, "sha256 must be the SHA-256 of the content in base64"],
    [{ contentLength: 0 }, "contentLength must be 1 to 20971520 bytes"],
    [{ traceId: "a\0b" }, "traceId must be text of 1 to 512 characters"],
  ] as const) {
    const { status, json } = await announce(newProject(), { ...right, ...wrong });
    expect([status, json]).toEqual([400, { error }]);
  }
});

describe("content that is arriving", () => {
  const open: AbortController[] = [];
  afterEach(() => {
    for (const controller of open.splice(0)) controller.abort();
  });

  /** An upload whose client sends one byte and then no more. */
  async function startSlowUpload(projectId: string): Promise<{ status: Promise<number | null> }> {
    const controller = new AbortController();
    open.push(controller);
    const content = { contentType: "video/mp4", contentLength: limits.mediaMaxBytes };
    const sha256 = randomBytes(32).toString("base64");
    const { json } = await announce(projectId, { ...content, sha256 });
    const body = new ReadableStream({ start: (sink) => sink.enqueue(new Uint8Array(1)) });
    const answer = ingest.open(null, "PUT", json.uploadUrl, { body, signal: controller.signal });
    const status = answer.then(
      (answered) => answered.status,
      () => null,
    );
    return { status };
  }

  test("is bounded: another upload of the project waits a second and is refused, one of another project takes its turn", async () => {
    const [projectId, other] = [newProject(), newProject()];
    const slow = [await startSlowUpload(projectId), await startSlowUpload(projectId)];
    const content = randomBytes(limits.mediaMaxBytes);
    const { json } = await announce(projectId, describeContent(content));
    await expect.poll(async () => (await put(json.uploadUrl, content)).status).toBe(429);

    const refused = await put(json.uploadUrl, content);
    const served = await store(other, content);

    expect([refused.status, refused.headers.get("retry-after"), refused.json]).toEqual([
      429,
      "2",
      { statusCode: 429, message: "Too many uploads at a time; retry." },
    ]);
    expect(await isStored(other, served)).toBe(true);
    expect(await Promise.race(slow.map(({ status }) => status))).toBe(429);
    expect(await isStored(projectId, json.id)).toBe(false);
  });

  test("is stored whole or not at all, also if it is sent several times at once", async () => {
    const projectId = newProject();
    const content = randomBytes(2 * 1024 * 1024 + 1);
    const { json } = await announce(projectId, describeContent(content));

    const answers = await Promise.all(Array.from({ length: 6 }, () => put(json.uploadUrl, content)));

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await read((await show(projectId, json.id)).json.url)).bytes.equals(content)).toBe(true);
  });
});
