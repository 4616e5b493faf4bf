import { answerLines, type Handler, readSince, requireProject } from "@touchstone/service-kit";
import { renderExportedSpan } from "../../export/render-exported-span.ts";
import type { ExportedSpan, SpanExportStore } from "../../export/span-export-store.ts";

/** `GET /export/traces`: every span, children included, as it is shown (completions 13). */
export function exportTraces({ spanExports }: { spanExports: SpanExportStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = { projectId, sinceMs: readSince(call.query) };
    return answerLines<ExportedSpan>("traces", {
      readPage: (last) => spanExports.readPage(query, last?.id ?? null),
      prepare: (spans) => spanExports.compose(projectId, spans),
      render: (span) => renderExportedSpan(span, projectId),
    });
  };
}
