import { z } from "zod";
import { globalErrorBody } from "../errors.ts";
import { deadlines, limits } from "../limits.ts";
import type { Route } from "../route.ts";
import { bodyRefusals, dataPlane, json } from "./route-parts.ts";

/** Body of `POST /mcp`: one JSON-RPC message of the Model Context Protocol. The server of the protocol judges it. */
const mcpMessage = z.looseObject({
  jsonrpc: z.literal("2.0"),
  method: z.string(),
  id: z.union([z.string(), z.int()]).optional().describe("Without it: a notification"),
});

const mcpQuery = z.object({ write: z.string().optional().describe("1: also the tools that write") });

/** The answer to a request: a result or an error of JSON-RPC. */
const mcpReply = z.looseObject({ jsonrpc: z.literal("2.0") });

/** The server of the Model Context Protocol. */
export const mcpRoutes = {
  callMcp: {
    ...dataPlane,
    id: "callMcp",
    authentication: ["key", "authorization"],
    method: "POST",
    path: "/mcp",
    owner: "dropin",
    query: mcpQuery,
    body: { ...json(mcpMessage), maxBytes: limits.mcpBodyMaxBytes, namesMax: limits.mcpNamesMax },
    // Answers that an agent submits are judged.
    deadlineMs: deadlines.gatewayScoringHopMs,
    responses: {
      200: { description: "The answer. What a tool could not do is in its result.", schema: mcpReply },
      202: { description: "A notification was received.", schema: null },
      ...bodyRefusals,
      400: {
        description: "The body is not JSON, no message, or of an unknown version of the protocol.",
        schema: z.union([mcpReply, globalErrorBody]),
      },
      413: { ...bodyRefusals[413], description: "The body is larger than 4 MiB, on the wire or inflated." },
    },
    summary: "Call a tool over the Model Context Protocol.",
    section: "dropin 2.1",
  },
} as const satisfies Record<string, Route>;
