import { afterEach, expect, test } from "vitest";
import { apiKey, startTestGateway, type TestGateway } from "./test-gateway.ts";

const gateways: TestGateway[] = [];

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

test("rows are accepted as CSV, a JSON array or JSON lines and passed on unchanged; anything else is 415", async () => {
  const gateway = await startTestGateway({
    behind: {
      importDataset: async (call) => ({
        status: 201,
        body: { type: call.headers["content-type"], rows: String(await call.body()), name: call.query.name },
      }),
    },
  });
  gateways.push(gateway);
  const send = (type: string, body: string) =>
    fetch(`${gateway.url}/api/v1/custom-agent-evaluations/datasets/import?name=n%20m`, {
      method: "POST",
      headers: { "x-api-key": apiKey, "content-type": type },
      body,
    });

  const rows = '\ufeffquery\r\n"a\nb"\r\n';
  for (const type of ["text/csv", "text/csv; charset=utf-8", "application/json", "application/x-ndjson"]) {
    const answer = await send(type, rows);
    expect([answer.status, await answer.json()]).toEqual([201, { type, rows, name: "n m" }]);
  }
  for (const type of ["text/plain", "application/xml", "text/csv; charset=latin1"]) {
    expect((await send(type, rows)).status).toBe(415);
  }
  expect((await send("text/csv", "x".repeat(10 * 1024 * 1024 + 1))).status).toBe(413);
});
