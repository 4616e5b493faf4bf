import { Readable } from "node:stream";
import { routes } from "@touchstone/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { head, sendRaw, startTestGateway, type TestGateway } from "./test-gateway.ts";

const expected = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

let gateway: TestGateway;
let secure: TestGateway;

beforeAll(async () => {
  const lines = async () => ({
    status: 200,
    contentType: "application/x-ndjson; charset=utf-8",
    headers: { "content-disposition": 'attachment; filename="traces.ndjson"' },
    body: Readable.from(["{}\n"]),
  });
  const settings = { SERVICE_RATE_LIMIT: "off" };
  gateway = await startTestGateway({ settings, config: { headersTimeoutMs: 200 }, behind: { exportTraces: lines } });
  secure = await startTestGateway({ settings: { ...settings, SERVICE_PUBLIC_URL: "https://traces.example.com" } });
});

afterAll(async () => {
  await gateway?.stop();
  await secure?.stop();
});

/** The headers of a raw answer, by name in small letters. */
function headersOf(answer: string): Record<string, string> {
  const lines = answer.slice(0, answer.indexOf("\r\n\r\n")).split("\r\n").slice(1);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
}

const addresses = Object.values(routes).map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, "x")] as const);

test.each(addresses)(
  "%s %s is answered with the headers that keep a browser from misusing it",
  async (method, path) => {
    for (const headers of [{ "content-length": "0" }, { "content-length": "0", "x-api-key": "nobody's" }]) {
      const answered = headersOf(await sendRaw(gateway.url, head(method, path, headers)));

      expect(answered).toMatchObject(expected);
      expect(Object.keys(answered)).not.toContain("strict-transport-security");
      expect(Object.keys(answered)).not.toContain("x-powered-by");
      expect(Object.keys(answered)).not.toContain("server");
    }
  },
);

test("the refusal of an unknown route, an invalid method, host or HTTP, a large or a slow request has the same headers", async () => {
  const requests = {
    404: head("GET", "/nothing"),
    405: head("PATCH", "/api/v1/projects"),
    403: head("GET", "/health", { host: "evil.example" }),
    400: "nonsense\r\n\r\n",
    431: head("GET", "/health", { "x-long": "x".repeat(20_000) }),
    408: "GET /health HTTP/1.1\r\nhost: localhost\r\n",
  };
  const answers = await Promise.all(
    Object.entries(requests).map(async ([status, request]) => ({
      status,
      answer: await sendRaw(gateway.url, request),
    })),
  );
  const undecodable = await sendRaw(gateway.url, head("GET", "/api/v1/agents/%zz"));

  for (const { status, answer } of [...answers, { status: "404", answer: undecodable }]) {
    expect([status, headersOf(answer)]).toEqual([answer.slice(9, 12), expect.objectContaining(expected)]);
  }
});

test("an export is a download that no browser shows", async () => {
  const answer = await sendRaw(gateway.url, head("GET", routes.exportTraces.path));

  expect(headersOf(answer)).toMatchObject({
    ...expected,
    "content-disposition": 'attachment; filename="traces.ndjson"',
  });
});

test("every answer asks browsers to use https if the public address does, refusals too", async () => {
  for (const request of [head("GET", "/health/live"), "nonsense\r\n\r\n"]) {
    expect(headersOf(await sendRaw(secure.url, request))).toMatchObject({
      ...expected,
      "strict-transport-security": "max-age=31536000",
    });
  }
});
