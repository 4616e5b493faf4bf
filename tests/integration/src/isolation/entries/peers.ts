import { randomUUID } from "node:crypto";
import { shared } from "../bodies.ts";
import { make } from "../make-things.ts";
import type { RouteEntries } from "../route-entry.ts";
import { plain, unchecked } from "./parts.ts";

/** The paths of other systems' clients. */
export const peersEntries: RouteEntries = {
  getLangfuseHealth: plain,
  listLangfuseProjects: plain,
  ingestLangfuseBatch: {
    ids: async (tenant) => ({ traceId: await make.trace(tenant) }),
    request: (ids, { canary }) => ({
      body: {
        batch: [
          {
            id: randomUUID(),
            type: "score-create",
            timestamp: "2026-11-20T10:00:00Z",
            body: { ...ids, name: `${canary} score`, value: 1 },
          },
          {
            id: randomUUID(),
            type: "span-create",
            timestamp: "2026-11-20T10:00:00Z",
            body: { id: shared.spanId, traceId: shared.sessionId, name: `${canary} span` },
          },
        ],
      },
    }),
    own: 207,
    refused: 207,
    malformed: { traceId: 207 },
    neverLeaks: { traceId: unchecked },
  },
  createLangfuseScore: {
    ids: async (tenant) => ({ traceId: await make.trace(tenant) }),
    request: (ids, { canary }) => ({ body: { ...ids, name: `${canary} score`, value: 1 } }),
    own: 200,
    refused: 200,
    malformed: { traceId: 200 },
    neverLeaks: { traceId: unchecked },
  },
};
