import { z } from "zod";
import { exportCountQuery, exportCounts } from "./http/export.ts";
import type { InternalRoute } from "./route.ts";

/** What a key stands for. */
export const resolvedKey = z.object({ projectId: z.uuid(), organizationId: z.uuid().nullable() });

const exportCount = {
  method: "POST",
  path: "/internal/export/count",
  askedBy: ["gateway"],
  body: exportCountQuery,
  reply: exportCounts,
} as const;

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
  /** How much of a project each service would export: what the gateway's index of exports is made of. */
  countIngestExport: { ...exportCount, id: "countIngestExport", owner: "ingest" },
  countEvalRunsExport: { ...exportCount, id: "countEvalRunsExport", owner: "eval-runs" },
  countAuthExport: { ...exportCount, id: "countAuthExport", owner: "auth" },
} as const satisfies Record<string, InternalRoute>;
