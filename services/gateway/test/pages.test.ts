import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { apiKey, head, sendRaw, startTestGateway, type TestGateway, type TestGatewayOptions } from "./test-gateway.ts";

const index = "<!doctype html><title>Touchstone</title>";
const script = `document.title = "${"touchstone ".repeat(200)}"`;
const pagesPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; media-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const dataPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const notFound = { statusCode: 404, message: "Not found" };

let parent: string;
let folder: string;
let gateway: TestGateway;
const others: TestGateway[] = [];

beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), "touchstone-pages-"));
  folder = path.join(parent, "dashboard");
  await mkdir(path.join(folder, "assets"), { recursive: true });
  const files = {
    "index.html": index,
    "theme.js": "document.title",
    "assets/index-Bx.js": script,
    "assets/index-Bx.js.gz": gzipSync(script),
    "assets/index-Bx.js.br": brotliCompressSync(script),
    "assets/index-Bx.js.map": "{}",
    "assets/plain-Cy.css": "a{}",
    "../secret.txt": "outside",
  };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
  gateway = await startTestGateway({ config: { dashboardFolder: folder } });
});

afterAll(async () => {
  await gateway?.stop();
  await rm(parent, { recursive: true, force: true });
});

afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.stop()));
});

async function start(options: TestGatewayOptions): Promise<TestGateway> {
  const other = await startTestGateway(options);
  others.push(other);
  return other;
}

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

async function ask(address: string, headers: Record<string, string> = {}, { url } = gateway, method = "GET") {
  const response = await fetch(url + address, { method, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test.each(["/", "/index.html", "/p/some-project/traces", "/p/x/runs/compare?baseline=1", "/sign-in", "/%c3%bc/x.y"])(
  "a browser that opens %s gets the page, which is not kept",
  async (address) => {
    const { status, headers, text } = await ask(address, html);

    expect([status, text]).toEqual([200, index]);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect([headers.get("cache-control"), headers.get("etag")]).toEqual(["no-store", null]);
    expect(headers.get("content-security-policy")).toBe(pagesPolicy);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-request-id")).not.toBeNull();
  },
);

test("an asset is kept for a year, and sent in the smallest form the client takes", async () => {
  const plain = await ask("/assets/index-Bx.js", { "accept-encoding": "identity" });
  expect([plain.status, plain.text, plain.headers.get("content-encoding")]).toEqual([200, script, null]);
  for (const [accepted, sent] of [
    ["gzip", "gzip"],
    ["gzip, br", "br"],
  ] as const) {
    const { headers, text } = await ask("/assets/index-Bx.js", { "accept-encoding": accepted });
    expect([headers.get("content-encoding"), text]).toEqual([sent, script]);
    expect(headers.get("content-type")).toBe("application/javascript; charset=utf-8");
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(headers.get("vary")).toContain("accept-encoding");
  }
  // Of a small file there is no other form.
  expect((await ask("/assets/plain-Cy.css", { "accept-encoding": "gzip" })).text).toBe("a{}");
});

test("a file without a hash in its name is revalidated, and sent again only when it has changed", async () => {
  const first = await ask("/theme.js");
  const etag = first.headers.get("etag") as string;
  const again = await ask("/theme.js", { "if-none-match": etag, "cache-control": "max-age=0" });

  expect([first.status, first.headers.get("cache-control"), first.text]).toEqual([200, "no-cache", "document.title"]);
  expect([again.status, again.text]).toEqual([304, ""]);
});

test("an asset of another build is 404 and no page, so that an old tab notices", async () => {
  const { status, text, headers } = await ask("/assets/index-Old.js", html);

  expect([status, JSON.parse(text)]).toEqual([404, notFound]);
  expect(headers.get("content-security-policy")).toBe(dataPolicy);
});

test("a client that requests no page gets the 404 of the API", async () => {
  for (const accept of ["*/*", "application/json", "image/png"]) {
    const { status, text } = await ask("/traces", { accept });
    expect([status, JSON.parse(text)], accept).toEqual([404, notFound]);
  }
  // Who types the address into curl means the page.
  expect((await ask("/", { accept: "*/*" })).text).toBe(index);
});

test.each([
  ["GET", "/api/v1/nothing", 404, null],
  ["GET", "/api", 404, null],
  ["GET", "/health/nothing", 404, null],
  ["GET", "/metrics/x", 404, null],
  ["GET", "/projects/x", 404, null],
  ["GET", "/api/v1/otel/v1/traces", 405, "POST"],
  ["DELETE", "/projects", 405, "GET, HEAD, POST"],
  ["GET", "/mcp", 405, "POST"],
  ["POST", "/traces", 404, null],
  ["DELETE", "/", 404, null],
])("%s %s belongs to the API, or does not exist, also in a browser", async (method, address, status, allow) => {
  const answer = await ask(address, html, gateway, method);

  expect([answer.status, answer.headers.get("allow")]).toEqual([status, allow]);
  expect(JSON.parse(answer.text).statusCode).toBe(status);
  expect(answer.headers.get("content-security-policy")).toBe(dataPolicy);
});

test("answers of the API keep their own policy, and a read with a key is never answered with a page", async () => {
  const { status, headers } = await ask("/api/v1/ingest/traces", { ...html, "x-api-key": apiKey });

  expect([status, headers.get("content-security-policy")]).toEqual([200, dataPolicy]);
});

test("HEAD of a page and of a file is GET without the body", async () => {
  for (const address of ["/", "/p/x/traces", "/theme.js", "/assets/index-Bx.js"]) {
    const headers = { ...html, "accept-encoding": "identity" };
    const got = await ask(address, headers);
    const headed = await ask(address, headers, gateway, "HEAD");
    expect([headed.status, headed.text], address).toEqual([200, ""]);
    for (const name of ["content-type", "content-length", "cache-control", "content-security-policy"]) {
      expect(headed.headers.get(name), `${address} ${name}`).toBe(got.headers.get(name));
    }
  }
});

test.each([
  "/../secret.txt",
  "/..%2fsecret.txt",
  "/%2e%2e/secret.txt",
  "/assets/../../secret.txt",
  "/assets/..%2f..%2fsecret.txt",
  "/assets/%2e%2e%5c..%5csecret.txt",
  "//secret.txt",
  "/./secret.txt",
  "/%00/secret.txt",
  "/secret.txt%00.js",
])("the path %s does not lead out of the dashboard's folder", async (address) => {
  for (const accept of ["*/*", "text/html"]) {
    const received = await sendRaw(gateway.url, head("GET", address, { accept }));
    expect(received).toMatch(/^HTTP\/1\.1 (200|404) /);
    expect(received).not.toContain("outside");
  }
});

test("neither source maps nor compressed files have an address", async () => {
  for (const name of ["index-Bx.js.map", "index-Bx.js.gz", "index-Bx.js.br"]) {
    expect((await ask(`/assets/${name}`)).status, name).toBe(404);
  }
});

test("a page of another origin or host is refused, and pages count as requests of an address", async () => {
  const foreign = await ask("/", { ...html, origin: "https://evil.example" });
  const rebound = await sendRaw(gateway.url, head("GET", "/", { host: "evil.example", accept: "text/html" }));
  const limited = await start({
    config: { dashboardFolder: folder },
    settings: { SERVICE_RATE_LIMIT_DATA_PLANE: "2" },
  });
  const statuses = [];
  for (let asked = 0; asked < 3; asked += 1) statuses.push((await ask("/", html, limited)).status);

  expect(foreign.status).toBe(403);
  expect(rebound).toMatch(/^HTTP\/1\.1 403 /);
  expect(statuses).toEqual([200, 200, 429]);
});

test("without a dashboard its addresses are 404, and the OTLP listener has none", async () => {
  const off = await start({ settings: { SERVICE_DASHBOARD: "off", SERVICE_DASHBOARD_DIR: folder } });
  const unset = await start({});
  for (const without of [off, unset]) {
    const { status, text } = await ask("/", html, without);
    expect([status, JSON.parse(text)]).toEqual([404, notFound]);
  }
  const receiving = await start({ settings: { SERVICE_DASHBOARD_DIR: folder, SERVICE_OTLP_HTTP_PORT: "0" } });
  expect((await ask("/", html, receiving)).text).toBe(index);
  const otlp = receiving.log.find(({ msg }) => msg === "taking OTLP/HTTP")?.address as string;
  expect((await ask("/", html, { ...receiving, url: otlp })).status).toBe(404);
});

test("while the dashboard is built its pages reload themselves, and the API is available", async () => {
  const built = path.join(parent, "later");
  const { promise, resolve } = Promise.withResolvers<void>();
  const building = await start({ config: { dashboardFolder: built }, dashboardBuilding: promise });

  const page = await ask("/p/x/traces", html, building);
  const file = await ask("/assets/index-Bx.js", {}, building);
  const data = await ask("/api/v1/ingest/traces", { "x-api-key": apiKey }, building);

  expect([page.status, page.headers.get("retry-after"), data.status]).toEqual([503, "1", 200]);
  expect(page.text).toContain('http-equiv="refresh"');
  expect(Buffer.byteLength(page.text)).toBeLessThan(1_500);
  expect([file.status, JSON.parse(file.text).statusCode]).toEqual([503, 503]);

  await mkdir(built);
  await writeFile(path.join(built, "index.html"), index);
  resolve();
  await vi.waitFor(async () => expect((await ask("/p/x/traces", html, building)).text).toBe(index));
});

test("a failed build is reported on the page and in the log, and its output is text", async () => {
  const reason = "src/main.tsx: <script>alert(1)</script> is no import";
  const { promise, reject } = Promise.withResolvers<void>();
  const failed = await start({ config: { dashboardFolder: path.join(parent, "none") }, dashboardBuilding: promise });
  reject(new Error(reason));

  await vi.waitFor(async () => expect((await ask("/", html, failed)).text).toContain("could not be built"));
  const { status, text } = await ask("/", html, failed);

  expect(status).toBe(503);
  expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt; is no import");
  expect(text).not.toContain("<script>");
  expect(failed.log).toContainEqual(expect.objectContaining({ level: "error", msg: "there is no dashboard to serve" }));
});

test("a folder without a dashboard is reported at once", async () => {
  const empty = await start({ config: { dashboardFolder: path.join(parent, "missing") } });

  const { status, text } = await ask("/", html, empty);

  expect([status, text]).toEqual([503, expect.stringContaining("ENOENT")]);
});
