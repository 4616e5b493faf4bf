import { exportCountQuery } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { AgentExportStore } from "../../export/agent-export-store.ts";
import type { SpanExportStore } from "../../export/span-export-store.ts";

/** How much there is to export of spans and agents, for the gateway's index. */
export function countExported(stores: { spanExports: SpanExportStore; agentExports: AgentExportStore }): Handler {
  return async (call) => {
    const query = exportCountQuery.parse(await call.json());
    const [traces, agents] = await Promise.all([stores.spanExports.count(query), stores.agentExports.count(query)]);
    const entities = [
      { entity: "traces", rows: traces },
      { entity: "agents", rows: agents },
    ];
    return { status: 200, body: { entities } };
  };
}
