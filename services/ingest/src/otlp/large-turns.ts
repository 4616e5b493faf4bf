import { createFairLine, type Tenant } from "@touchstone/service-kit";

/**
 * Processes two large exports at a time, since each takes several times its bytes in memory. Tenants take turns; the
 * exports of each are processed in order of arrival.
 */
export interface LargeTurns {
  take<Result>(tenant: Tenant, work: () => Promise<Result>): Promise<Result>;
}

/** One is decoded while another is written. More would not be faster, since writes are sequential. */
const atOnceMax = 2;

interface Waiter {
  tenant: Tenant;
  enter(): void;
}

export function createLargeTurns(): LargeTurns {
  const line = createFairLine<Waiter>();
  let working = 0;
  return {
    async take(tenant, work) {
      if (working >= atOnceMax) await new Promise<void>((enter) => line.add({ tenant, enter }));
      else working += 1;
      try {
        return await work();
      } finally {
        const next = line.takeNext();
        if (next === undefined) working -= 1;
        else next.enter();
      }
    },
  };
}
