import { connect } from "node:net";
import { routes } from "@touchstone/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiKey, head, sendRaw, startTestGateway, type TestGateway } from "./test-gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    settings: { SERVICE_RATE_LIMIT: "off" },
    config: { requestTimeoutMs: 400, headersTimeoutMs: 400 },
  });
});

afterAll(async () => {
  await gateway?.stop();
});

const traces = routes.submitTrace.path;
const json = { "content-type": "application/json" };
const close = "connection: close\r\n";
const post = (...lines: string[]) =>
  `POST ${traces} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\n${lines.join("")}\r\n`;
const statusesOf = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));

test.each([
  ["the same length twice", post(close, "content-length: 2\r\ncontent-length: 2\r\n"), "{}"],
  ["two lengths in one line", post(close, "content-length: 2, 2\r\n"), "{}"],
  ["a length below nothing", post(close, "content-length: -1\r\n"), ""],
  ["a length with a plus", post(close, "content-length: +2\r\n"), "{}"],
  ["a length in hexadecimal", post(close, "content-length: 0x2\r\n"), "{}"],
  ["a length that overflows", post(close, "content-length: 99999999999999999999\r\n"), "{}"],
  [
    "chunks that are not the last encoding",
    post(close, "transfer-encoding: chunked, gzip\r\n"),
    "2\r\n{}\r\n0\r\n\r\n",
  ],
  ["chunks twice", post(close, "transfer-encoding: chunked, chunked\r\n"), "2\r\n{}\r\n0\r\n\r\n"],
  ["chunks under a disguise", post(close, "transfer-encoding: xchunked\r\n"), "2\r\n{}\r\n0\r\n\r\n"],
  ["a space before the colon", post(close, "content-length : 2\r\n"), "{}"],
  ["a header that is continued", post(close, "x-folded: a\r\n b: c\r\n"), ""],
  ["a bare line feed between headers", `GET ${traces} HTTP/1.1\nhost: localhost\n\n`, ""],
  ["a bare carriage return in a header", post(close, "x: a\rb\r\n"), ""],
  ["a size of a chunk that is no number", post(close, "transfer-encoding: chunked\r\n"), "zz\r\n{}\r\n"],
  ["a size of a chunk that overflows", post(close, "transfer-encoding: chunked\r\n"), "fffffffffffffffff\r\n{}\r\n"],
  ["a method nobody knows", `NONSENSE ${traces} HTTP/1.1\r\nhost: localhost\r\n\r\n`, ""],
  ["a space in the address", "GET /health live HTTP/1.1\r\nhost: localhost\r\n\r\n", ""],
  ["HTTP of another major version", `GET ${traces} HTTP/9.9\r\nhost: localhost\r\n\r\n`, ""],
  ["a greeting of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ""],
  ["a greeting of TLS", Buffer.from("16030100050100000100", "hex").toString("latin1"), ""],
])("row 40: %s is refused once, and nothing after it is read", async (_what, request, body) => {
  const answer = await sendRaw(gateway.url, Buffer.from(request + body + head("GET", "/health/live"), "latin1"));

  const [first, ...rest] = statusesOf(answer);
  expect([400, 501, 505]).toContain(first);
  expect(rest).toEqual([]);
});

test.each(["evil.example", "localhost"])("row 40: a second host, %s, is refused", async (second) => {
  const twice = `GET /health/live HTTP/1.1\r\nhost: localhost\r\nhost: ${second}\r\n${close}\r\n`;

  expect(statusesOf(await sendRaw(gateway.url, twice))).toEqual([403]);
});

test("row 40: HTTP/1.0 is answered, and the connection ends", async () => {
  const answer = await sendRaw(gateway.url, "GET /health/live HTTP/1.0\r\nhost: localhost\r\n\r\n");

  expect([statusesOf(answer), /^connection: close\r$/im.test(answer)]).toEqual([[200], true]);
});

test("row 40: a request for another host's absolute address is a request for that host", async () => {
  const foreign = `GET http://evil.example/health/live HTTP/1.1\r\nhost: evil.example\r\n${close}\r\n`;

  expect(statusesOf(await sendRaw(gateway.url, foreign))).toEqual([403]);
});

test.each(["CONNECT", "TRACE", "PURGE"])("row 40: %s is no method of ours", async (method) => {
  const target = method === "CONNECT" ? "internal.example:443" : "/health/live";
  const answer = await sendRaw(gateway.url, `${method} ${target} HTTP/1.1\r\nhost: localhost\r\n${close}\r\n`);

  expect(statusesOf(answer).every((status) => status >= 400 && status < 500)).toBe(true);
});

test("row 40: a request to upgrade the connection is answered without an upgrade", async () => {
  const upgrade = `GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n`;

  expect(statusesOf(await sendRaw(gateway.url, upgrade))).toEqual([200]);
});

test("row 40: requests sent at once are answered each in its turn", async () => {
  const asked = ["/health/live", "/nothing", traces, "/health/live"];
  const requests = asked.map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${apiKey}\r\n`);

  const answer = await sendRaw(gateway.url, `${requests.join("\r\n")}${close}\r\n`);

  expect(statusesOf(answer)).toEqual([200, 404, 200, 200]);
});

test("row 40: a request with five thousand headers is answered 200 or 431, never with a 5xx", async () => {
  const answer = await sendRaw(gateway.url, head("GET", "/health/live", many(5_000)));

  expect([200, 431]).toContain(statusesOf(answer)[0]);
});

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`h${index}`, ""]));

test("row 38: a POST without a length and without chunks has an empty body", async () => {
  const answer = await sendRaw(gateway.url, post(close));

  expect(answer).toContain('"bytes":0');
});

test("row 30: a client that expects 100 Continue for a body over the limit is refused at once", async () => {
  const asking = head("POST", traces, { ...json, expect: "100-continue", "content-length": "999999999" });

  expect(statusesOf(await sendRaw(gateway.url, asking)).at(-1)).toBe(413);
});

test("row 39: a head that is sent a byte at a time is refused with 408 when its time is over", async () => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  socket.on("error", () => undefined);
  socket.write("GET /health/live HTTP/1.1\r\nhost: localhost\r\nx-slow: ");
  const drip = setInterval(() => socket.write("x"), 20);

  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(drip);

  expect(statusesOf(received)).toEqual([408]);
});
