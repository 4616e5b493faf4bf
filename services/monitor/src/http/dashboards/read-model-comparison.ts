import { type modelComparison, readDashboardWindow, stretchesOf } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { ModelReader } from "../../dashboards/model-reader.ts";
import { shareOf } from "../../dashboards/traffic-counts.ts";
import type { IngestClient } from "../../ingest-client.ts";

/** GET /agent-monitoring/model-comparison (completions 9.5). What models cost is ingest's to say. */
export function readModelComparison({
  models,
  ingest,
  clock,
}: {
  models: ModelReader;
  ingest: Pick<IngestClient, "readModelCosts">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { organizationId } = call.identity;
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const [compared, costs] = await Promise.all([
      models.compare(projectId, { since: stretchesOf(window, now).since, until: new Date(now) }),
      ingest.readModelCosts({ projectId, organizationId, window }),
    ]);
    const body: z.input<typeof modelComparison> = {
      window,
      models: compared.map(({ model, traces, errors, ...rest }) => {
        const costUSD = model === null ? null : (costs.get(model) ?? null);
        return { model, traces, errors, errorRate: shareOf(errors, traces), ...rest, costUSD };
      }),
    };
    return { status: 200, body };
  };
}
