import type { McpServer } from "@modelcontextprotocol/server";
import { errorKinds, routes } from "@touchstone/contracts";
import { type Ask, callTool, listTools } from "@touchstone/mcp-tools";
import { type Answer, type Call, type Handler, isAppError, type ServedRoute } from "@touchstone/service-kit";
import { askOf, type Owners } from "./ask.ts";

/** The server of the Model Context Protocol (dropin 2). It has no sessions: each request is answered by itself. */
export function mcpRoutes(owners: Owners): ServedRoute[] {
  return [{ route: routes.callMcp, handle: callMcp(owners) }];
}

function callMcp(owners: Owners): Handler {
  return async (call) => {
    const parsedBody = await call.json();
    const failures: unknown[] = [];
    // Loaded when it is used: it takes 34 MB, and time at each start.
    const { createMcpHandler, McpServer } = await import("@modelcontextprotocol/server");
    const server = () => {
      const created = new McpServer({ name: "touchstone", version: "1.0.0" });
      addTools(created, call, { ask: askOf(owners, call), onFailure: (failure) => failures.push(failure) });
      return created;
    };
    // A subscription would stay open, and nothing it could tell of changes.
    const handler = createMcpHandler(server, { responseMode: "json", maxSubscriptions: 0, keepAliveMs: 0 });
    try {
      const answer = await readAnswer(await handler.fetch(requestOf(call), { parsedBody }));
      if (failures.length > 0) throw failures[0];
      return answer;
    } finally {
      await handler.close();
    }
  };
}

/** Adds the tools, for one request. What no client caused is a failure of the request. */
function addTools(
  server: McpServer,
  { query }: Call,
  { ask, onFailure }: { ask: Ask; onFailure: (failure: unknown) => void },
): void {
  for (const tool of listTools({ write: query.write === "1" })) {
    const { name, description, input, writes } = tool;
    const annotations = { readOnlyHint: !writes, destructiveHint: false };
    server.registerTool(name, { description, inputSchema: input, annotations }, async (args) => {
      try {
        return await callTool(tool, args, ask);
      } catch (thrown) {
        const isRefusal = isAppError(thrown) && errorKinds[thrown.code].status < 500;
        if (!isRefusal || thrown.code === "unauthorized") onFailure(thrown);
        return { content: [{ type: "text", text: (thrown as Error).message.slice(0, 1_000) }], isError: true };
      }
    });
  }
}

/** The request as the protocol's server reads it. */
function requestOf({ headers, signal }: Call): Request {
  const passed = ["mcp-protocol-version", "mcp-method", "mcp-name"].flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return new Request("http://dropin/mcp", {
    method: "POST",
    headers: {
      ...Object.fromEntries(passed),
      "content-type": "application/json",
      // The answer is always one JSON text, see readAnswer.
      accept: "application/json, text/event-stream",
    },
    body: "{}",
    signal,
  });
}

/** Its answer; the one event of a stream is answered as JSON. */
async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  if (text === "") return { status };
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  return { status, body: isStream ? (/^data: (\{.*)$/m.exec(text)?.[1] ?? "") : text };
}
