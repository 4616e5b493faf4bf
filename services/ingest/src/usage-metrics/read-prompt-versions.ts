import { priceFinder, type promptVersions, readDashboardWindow, stretchesOf } from "@touchstone/contracts";
import { AppError, type Clock, type Handler, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { PriceStore } from "../pricing/price-store.ts";
import { priceUses } from "./compose-costs.ts";
import type { PromptUseReader } from "./prompt-use-reader.ts";

/** `GET /agent-monitoring/prompt-versions` (completions 9.5). */
export function readPromptVersions({
  promptUses,
  prices,
  clock,
}: {
  promptUses: PromptUseReader;
  prices: PriceStore;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { organizationId } = call.identity;
    const window = readDashboardWindow([call.query.window].flat()[0]);
    const { since } = stretchesOf(window, clock.now());
    const name = [call.query.name ?? ""].flat()[0] ?? "";
    if (name === "") throw new AppError("bad_request", "name is required");
    const [{ versions, tokens }, changes] = await Promise.all([
      // No stored name has a NUL, which PostgreSQL refuses.
      name.includes("\0") ? { versions: [], tokens: [] } : promptUses.read({ projectId, name, since }),
      prices.listChanges({ projectId, organizationId }),
    ]);
    const costs = new Map<string | null, number>();
    for (const { version, cost } of priceUses(tokens, priceFinder(changes))) {
      if (cost !== null) costs.set(version, (costs.get(version) ?? 0) + cost.whole);
    }
    const body: z.input<typeof promptVersions> = {
      ...{ name, window, since: since.toISOString() },
      versions: versions.map((counted) => {
        const cost = costs.get(counted.version);
        // Repeated usage is subtracted; the result is never negative.
        return { ...counted, costUSD: cost === undefined ? null : Math.max(cost, 0) };
      }),
    };
    return { status: 200, body };
  };
}
