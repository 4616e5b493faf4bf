import { describe, expect, test } from "vitest";
import { useCombined } from "../src/use-combined.ts";

/** The versions of the protocol that begin with a handshake. The later ones name themselves in each message. */
const newest = "2025-11-25";
const versions = [newest, "2025-06-18", "2025-03-26", "2024-11-05"];

const { system } = useCombined();

/** Sends one message as a client of the protocol does; `version` is the header. */
async function send(method: string, params: object, version?: string) {
  const answer = await fetch(`${system.url}/mcp`, {
    method: "POST",
    headers: {
      "x-api-key": system.apiKey,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(version !== undefined && { "mcp-protocol-version": version }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
  });
  return { status: answer.status, body: (await answer.json()) as { id?: unknown; result?: object; error?: object } };
}

const initialize = (protocolVersion: string) =>
  send("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } });

describe.each(versions)("a client of the version %s", (version) => {
  test("agrees on it and calls tools", async () => {
    expect(await initialize(version)).toMatchObject({
      status: 200,
      body: { id: 7, result: { protocolVersion: version } },
    });

    const listed = await send("tools/list", {}, version);
    expect(listed).toMatchObject({ status: 200, body: { result: { tools: expect.any(Array) } } });
    const called = await send("tools/call", { name: "list_datasets", arguments: {} }, version);
    expect(called).toMatchObject({ status: 200, body: { result: { content: [{ type: "text" }, expect.anything()] } } });
  });
});

test.each(["1999-01-01", "2099-01-01", "newest"])(
  "a client that asks for the unknown version %s is answered with the newest of those with a handshake",
  async (unknown) => {
    expect(await initialize(unknown)).toMatchObject({ status: 200, body: { result: { protocolVersion: newest } } });
  },
);

test.each(["1999-01-01", "2099-01-01", "newest", ""])("a request with the header %j is 400", async (unknown) => {
  const refused = await send("tools/list", {}, unknown);

  expect(refused).toMatchObject({ status: 400, body: { jsonrpc: "2.0", error: { message: expect.any(String) } } });
});

test("a request without the header is answered, as clients of the version 2025-03-26 send none", async () => {
  expect(await send("tools/list", {})).toMatchObject({ status: 200, body: { result: { tools: expect.any(Array) } } });
});
