import { exportCountQuery, internalRoutes, routes } from "@touchstone/contracts";
import { answerLines, type Handler, readSince, requireProject, type ServedRoute } from "@touchstone/service-kit";
import type { Agent } from "../agents/agent-store.ts";
import type { AgentExportStore } from "./agent-export-store.ts";
import { renderExportedSpan } from "./render-exported-span.ts";
import type { ExportedSpan, SpanExportStore } from "./span-export-store.ts";

/** Export of spans and agents. */
export function exportRoutes(dependencies: {
  spanExports: SpanExportStore;
  agentExports: AgentExportStore;
  reads(handle: Handler): Handler;
  onceReady(handle: Handler): Handler;
}): ServedRoute[] {
  const { reads, onceReady } = dependencies;
  return [
    { route: routes.exportTraces, handle: reads(exportTraces(dependencies)) },
    { route: routes.exportAgents, handle: reads(exportAgents(dependencies)) },
    { route: internalRoutes.countIngestExport, handle: onceReady(countExported(dependencies)) },
  ];
}

/** `GET /export/traces` exports every span, including children, as it is shown (completions 13). */
function exportTraces({ spanExports }: { spanExports: SpanExportStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = { projectId, sinceMs: readSince(call.query) };
    return answerLines<ExportedSpan>("traces", {
      projectId,
      readPage: (last) => spanExports.readPage(query, last?.id ?? null),
      prepare: (spans) => spanExports.compose(projectId, spans),
      render: (span) => renderExportedSpan(span, projectId),
    });
  };
}

/** `GET /export/agents` (completions 13). */
function exportAgents({ agentExports }: { agentExports: AgentExportStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = { projectId, sinceMs: readSince(call.query) };
    return answerLines<Agent>("agents", {
      projectId,
      readPage: (last) => agentExports.readPage(query, last?.id ?? null),
      render: ({ id, name, createdAt }) => JSON.stringify({ id, projectId, name, createdAt }),
    });
  };
}

/** Counts the spans and agents to export, for the gateway's index. */
function countExported(stores: { spanExports: SpanExportStore; agentExports: AgentExportStore }): Handler {
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
