import { routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import type { FeedbackStore } from "../../feedback/feedback-store.ts";
import type { IngestClient } from "../../ingest/ingest-client.ts";
import { createFeedback } from "./create-feedback.ts";
import { createOutcome } from "./create-outcome.ts";
import { listFeedback } from "./list-feedback.ts";

/** What people say of traces (completions 9.6). */
export function feedbackRoutes(dependencies: { feedback: FeedbackStore; ingest: IngestClient }): ServedRoute[] {
  return [
    { route: routes.createFeedback, handle: createFeedback(dependencies) },
    { route: routes.listFeedback, handle: listFeedback(dependencies) },
    { route: routes.createOutcome, handle: createOutcome(dependencies) },
  ];
}
