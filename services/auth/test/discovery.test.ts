import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@touchstone/service-kit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createDiscovery } from "../src/sign-in/discovery.ts";
import { createProviderHttp, type ProviderHttp } from "../src/sign-in/provider-http.ts";

let issuer: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? "");
  answer(request, response);
});
const opened: ProviderHttp[] = [];

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await Promise.all(opened.map((http) => http.close()));
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  asked.length = 0;
  publish({});
});

function publish(change: Record<string, unknown>): void {
  const document = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: "https://elsewhere.example.com/token",
    jwks_uri: `${issuer}/keys`,
    ...change,
  };
  answer = (_request, response) => response.writeHead(200).end(JSON.stringify(document));
}

function discover(clock = systemClock, requestTimeoutMs = 60_000) {
  const http = createProviderHttp({ home: issuer, requestTimeoutMs });
  opened.push(http);
  return createDiscovery({ issuer, http, clock });
}

test("a provider's configuration is fetched once an hour, however many callers there are", async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const discovery = discover({ ...systemClock, now: () => nowMs });

  const found = await Promise.all([discovery.read(), discovery.read(), discovery.read()]);
  await discovery.read();

  expect(asked).toEqual(["/.well-known/openid-configuration"]);
  expect(found[0]).toEqual({
    authorizationEndpoint: `${issuer}/authorize`,
    tokenEndpoint: "https://elsewhere.example.com/token",
    keysUrl: `${issuer}/keys`,
    userInfoEndpoint: null,
    secretGoesIn: "header",
    namesItselfInResponses: false,
  });
  nowMs += 60 * 60 * 1000;
  await discovery.read();
  expect(asked).toHaveLength(2);
});

test("a failed discovery is not cached", async () => {
  const discovery = discover();
  answer = (_request, response) => response.writeHead(500).end();
  await expect(discovery.read()).rejects.toThrow("500");

  publish({});
  await expect(discovery.read()).resolves.toBeDefined();
});

test("a provider that takes secrets in the body only gets them there", async () => {
  publish({ token_endpoint_auth_methods_supported: ["client_secret_post", "private_key_jwt"] });

  expect((await discover().read()).secretGoesIn).toBe("body");
});

test.each([
  ["another issuer", { issuer: "https://evil.example" }],
  ["an issuer with another ending", { issuer: "http://127.0.0.1/" }],
  ["a token endpoint over http elsewhere", { token_endpoint: "http://169.254.169.254/token" }],
  ["keys over http on another port", { jwks_uri: "http://127.0.0.1:1025/keys" }],
  ["a page that is no page", { authorization_endpoint: "javascript:alert(1)" }],
  ["claims in a file", { userinfo_endpoint: "file:///etc/passwd" }],
  ["no keys", { jwks_uri: undefined }],
])("a provider that names %s is not used", async (_what, change) => {
  publish(change);

  await expect(discover().read()).rejects.toThrow("provider");
});

test.each(["https://127.0.0.1:8443/token", "https://10.0.0.1/token", "https://[fd00::1]/token"])(
  "an https address inside, %s, is only asked at the issuer's own host",
  async (url) => {
    const http = createProviderHttp({ home: "https://sign-in.example.com", requestTimeoutMs: 60_000 });
    opened.push(http);

    await expect(http.ask(url)).rejects.toMatchObject({ kind: "address_refused" });
  },
);

test("a redirect, an endless answer and no answer are failures", async () => {
  answer = (_request, response) => response.writeHead(302, { location: `${issuer}/there` }).end();
  await expect(discover().read()).rejects.toThrow("302");
  expect(asked).toEqual(["/.well-known/openid-configuration"]);

  publish({ more: "x".repeat(300 * 1024) });
  await expect(discover().read()).rejects.toMatchObject({ kind: "answer_too_large" });

  answer = () => undefined;
  await expect(discover(systemClock, 50).read()).rejects.toMatchObject({ kind: "timeout" });
});
