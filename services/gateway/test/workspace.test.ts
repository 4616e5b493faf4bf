import { routes, warningHeader, workspaceIgnored } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { afterEach, expect, test } from "vitest";
import { apiKey, projectId, startTestGateway, type TestGateway, type TestGatewayOptions } from "./test-gateway.ts";

const gateways: TestGateway[] = [];

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

async function submit(headers: Record<string, string>, options: TestGatewayOptions = {}) {
  const gateway = await startTestGateway(options);
  gateways.push(gateway);
  const answer = await fetch(gateway.url + routes.submitTrace.path, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json", ...headers },
    body: "{}",
  });
  const body: unknown = await answer.json();
  const line = gateway.log.find(({ operation }) => operation === "submitTrace");
  return {
    status: answer.status,
    body,
    warning: answer.headers.get(warningHeader),
    level: line?.level,
    told: line?.warning,
  };
}

const withAccounts = { SERVICE_AUTH: "enabled" };
const warned = { status: 200, warning: workspaceIgnored, level: "warn", told: workspaceIgnored };
const silent = { status: 200, warning: null, level: "info", told: undefined };

test("without accounts a workspace of another system in a header is ignored, with a warning in the answer and the log", async () => {
  expect(await submit({ "x-workspace-id": "6650f0a2c4a1d3b2e1f0a9b8" })).toMatchObject(warned);
});

test("with accounts another workspace in a header is refused", async () => {
  const refused = await submit({ "x-workspace-id": "6650f0a2c4a1d3b2e1f0a9b8" }, { settings: withAccounts });
  expect(refused).toMatchObject({ status: 403, body: { error: "Unauthorized workspace access" }, warning: null });
});

test.each(["", "local", projectId])("the header %j is the key's project", async (named) => {
  for (const settings of [{}, withAccounts]) {
    expect(await submit({ "x-workspace-id": named }, { settings })).toMatchObject(silent);
  }
});

test("a service's warning reaches the client and the log", async () => {
  const ignores: Handler = async (call) => {
    call.warn(workspaceIgnored);
    return { status: 200, body: {} };
  };
  for (const isLocal of [true, false]) {
    expect(await submit({}, { isLocal, behind: { submitTrace: ignores } })).toMatchObject(warned);
  }
});
