import type { missingResults } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { ResultStore } from "../../results/result-store.ts";
import type { Gradings } from "../../runs/gradings.ts";
import { findMissingResults } from "../../runs/missing-results.ts";
import { requireRun } from "../../runs/require-run.ts";
import type { RunStore } from "../../runs/run-store.ts";

/** GET /custom-agent-evaluations/runs/{runId}/missing-results (completions 5.5): what a client resumes with. */
export function listMissingResults({
  runs,
  results,
  gradings,
}: {
  runs: RunStore;
  results: ResultStore;
  gradings: Gradings;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const run = await requireRun(runs, projectId, call.params.runId);
    const { cases, numberOfRequests } = await gradings.ofRun(projectId, run);
    // A trace that was graded by itself answers no question.
    const asked = run.runSource === "trace-eval" ? 0 : cases.length;
    const keys = await results.listKeys(projectId, run.id);
    const reply: z.input<typeof missingResults> = {
      runId: run.id,
      submittedKeys: keys.map(({ idempotencyKey }) => idempotencyKey),
      submittedCount: keys.length,
      missing: findMissingResults(run.id, { cases: asked, numberOfRequests }, keys),
    };
    return { status: 200, body: reply };
  };
}
