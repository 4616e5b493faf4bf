import { routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import { createOutcome } from "../http/feedback/create-outcome.ts";
import { listFeedback } from "../http/feedback/list-feedback.ts";
import type { IngestClient } from "../ingest-client.ts";
import { createFeedback } from "./create-feedback.ts";
import type { FeedbackStore } from "./feedback-store.ts";

/** What people say of traces (completions 9.6). */
export function feedbackRoutes(dependencies: { feedback: FeedbackStore; ingest: IngestClient }): ServedRoute[] {
  return [
    { route: routes.createFeedback, handle: createFeedback(dependencies) },
    { route: routes.listFeedback, handle: listFeedback(dependencies) },
    { route: routes.createOutcome, handle: createOutcome(dependencies) },
  ];
}
