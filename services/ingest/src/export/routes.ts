import { exportCountQuery, internalRoutes, routes } from "@touchstone/contracts";
import { answerLines, type Handler, readSince, requireProject, type ServedRoute } from "@touchstone/service-kit";
import type { Agent } from "../agents/agent-store.ts";
import type { ExportedMedia, MediaExportStore } from "../media/media-export-store.ts";
import type { ScoreStore } from "../scores/score-store.ts";
import { showScore } from "../scores/show-score.ts";
import type { StoredScore } from "../scores/stored-score.ts";
import type { ExportedSpan, SpanExportStore } from "../trace-store/reading/span-export-store.ts";
import type { AgentExportStore } from "./agent-export-store.ts";
import { renderExportedSpan } from "./render-exported-span.ts";

/** Export of spans, agents, scores and media. */
export function exportRoutes(dependencies: {
  spanExports: SpanExportStore;
  agentExports: AgentExportStore;
  scores: ScoreStore;
  mediaExports: MediaExportStore;
  reads(handle: Handler): Handler;
  onceReady(handle: Handler): Handler;
}): ServedRoute[] {
  const { reads, onceReady } = dependencies;
  return [
    { route: routes.exportTraces, handle: reads(exportTraces(dependencies)) },
    { route: routes.exportAgents, handle: reads(exportAgents(dependencies)) },
    { route: routes.exportScores, handle: reads(exportScores(dependencies)) },
    { route: routes.exportMedia, handle: reads(exportMedia(dependencies)) },
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

/** `GET /export/scores`: `POST /scores` takes the lines back. */
function exportScores({ scores }: { scores: ScoreStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = { projectId, sinceMs: readSince(call.query) };
    return answerLines<StoredScore>("scores", {
      projectId,
      readPage: (last) => scores.readExportPage(query, last?.id ?? null),
      render: (score) => JSON.stringify({ ...showScore(score), projectId }),
    });
  };
}

/** `GET /export/media`: `POST /media` takes the lines back. The contents are read with `GET /media/{mediaId}`. */
function exportMedia({ mediaExports }: { mediaExports: MediaExportStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = { projectId, sinceMs: readSince(call.query) };
    return answerLines<ExportedMedia>("media", {
      projectId,
      readPage: (last) => mediaExports.readPage(query, last),
      render: ({ id, ...media }) => JSON.stringify({ id, projectId, ...media }),
    });
  };
}

/** Counts what can be exported, for the gateway's index. */
function countExported(stores: {
  spanExports: SpanExportStore;
  agentExports: AgentExportStore;
  scores: ScoreStore;
  mediaExports: MediaExportStore;
}): Handler {
  return async (call) => {
    const query = exportCountQuery.parse(await call.json());
    const [traces, agents, scores, media] = await Promise.all([
      stores.spanExports.count(query),
      stores.agentExports.count(query),
      stores.scores.countExported(query),
      stores.mediaExports.count(query),
    ]);
    const entities = [
      { entity: "traces", rows: traces },
      { entity: "agents", rows: agents },
      { entity: "scores", rows: scores },
      { entity: "media", rows: media },
    ];
    return { status: 200, body: { entities } };
  };
}
