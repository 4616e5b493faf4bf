import { z } from "zod";
import type { InternalRoute } from "./route.ts";

/** What a key stands for. */
export const resolvedKey = z.object({ projectId: z.uuid(), organizationId: z.uuid().nullable() });

/** Routes between services; the call graph is generated from them, the public routes and the bus. */
export const internalRoutes = {
  /** Who a project key belongs to; `null` when no project has it. The key travels in the body, never in an address. */
  resolveKey: {
    id: "resolveKey",
    method: "POST",
    path: "/internal/keys/resolve",
    owner: "auth",
    askedBy: ["gateway"],
    body: z.object({ apiKey: z.string() }),
    reply: z.object({ key: resolvedKey.nullable() }),
  },
} as const satisfies Record<string, InternalRoute>;
