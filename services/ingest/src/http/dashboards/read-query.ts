import {
  type DashboardWindow,
  type FindPrice,
  priceFinder,
  readDashboardWindow,
  stretchesOf,
} from "@touchstone/contracts";
import { type Call, type Clock, isUuid, requireProject } from "@touchstone/service-kit";
import type { PriceStore } from "../../pricing/price-store.ts";
import type { FigureQuery } from "../../usage-metrics/figure-store.ts";

/** What a dashboard asks for, and the prices of who asks. */
export interface DashboardQuery {
  window: DashboardWindow;
  now: number;
  /** Null: there is no such agent, so nothing is to be added up. */
  spans: FigureQuery | null;
  findPrice: FindPrice;
}

export async function readDashboardQuery(
  call: Call,
  { prices, clock }: { prices: PriceStore; clock: Clock },
): Promise<DashboardQuery> {
  const projectId = requireProject(call);
  const { organizationId } = call.identity;
  const window = readDashboardWindow([call.query.window].flat()[0]);
  const now = clock.now();
  const agentId = [call.query.agentId ?? null].flat()[0] || null;
  return {
    window,
    now,
    spans: agentId === null || isUuid(agentId) ? { projectId, agentId, ...stretchesOf(window, now) } : null,
    findPrice: priceFinder(await prices.listChanges({ projectId, organizationId })),
  };
}
