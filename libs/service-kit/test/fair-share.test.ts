import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFairLine, createFairShare, type FairShare, type Tenant } from "../src/index.ts";

const tenant = (organization: string | null, project: string): Tenant => ({
  projectId: project,
  organizationId: organization,
});

interface Hold {
  tenant: Tenant;
  amount: number;
}

/** Takes as much as the rule allows, one at a time; returns how much that was. */
function takeAll(share: FairShare, who: Tenant): number {
  let taken = 0;
  for (; share.obstacleTo(who, 1) === null; taken += 1) share.hold(who, 1);
  return taken;
}

const tenants = fc.record({
  organizationId: fc.constantFrom("a", "b", "c", null),
  projectId: fc.constantFrom("one", "two", "three"),
});
/** Project names are unique: `one` of `a` is not `one` of `b`. */
const distinct = ({ organizationId, projectId }: Tenant): Tenant => ({
  organizationId,
  projectId: `${projectId} of ${organizationId}`,
});

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("take" as const), who: tenants, amount: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const), which: fc.nat(1_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("make room" as const), who: tenants, amount: fc.nat(40) }) },
);

describe("after any sequence of taking and releasing", () => {
  test("the total is never exceeded, and what is released can be used again", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.array(step, { maxLength: 80 }), (total, steps) => {
        const share = createFairShare({ total });
        const holds: Hold[] = [];
        const release = (hold: Hold): void => {
          holds.splice(holds.indexOf(hold), 1);
          share.hold(hold.tenant, -hold.amount);
        };
        const take = (who: Tenant, amount: number): void => {
          share.hold(who, amount);
          holds.push({ tenant: who, amount });
        };
        for (const next of steps) {
          if (next.do === "release") {
            const hold = holds[next.which % Math.max(1, holds.length)];
            if (hold !== undefined) release(hold);
            continue;
          }
          const [who, amount] = [distinct(next.who), next.amount + 1];
          if (share.obstacleTo(who, amount) === null) take(who, amount);
          else if (next.do === "make room") {
            const before = share.heldBy(who);
            const ended = share.toMakeRoom(who, amount, holds);
            for (const hold of ended ?? []) {
              const its = share.heldBy(hold.tenant);
              const isSibling =
                hold.tenant.organizationId !== null && hold.tenant.organizationId === who.organizationId;
              // Only tenants that hold more, before anything is taken, lose something.
              if (ended?.[0] === hold) {
                if (isSibling) expect(its.project).toBeGreaterThan(before.project + amount);
                else expect(its.organization).toBeGreaterThan(before.organization + amount);
              }
              release(hold);
            }
            if (ended !== null) take(who, amount);
          }
          expect(share.held()).toBe(holds.reduce((sum, hold) => sum + hold.amount, 0));
          expect(share.held()).toBeLessThanOrEqual(total);
        }
        for (const hold of [...holds]) release(hold);
        expect([share.held(), share.largest()]).toEqual([0, 0]);
        expect(takeAll(share, tenant("z", "new"))).toBe(takeAll(createFairShare({ total }), tenant("z", "new")));
      }),
    );
  });

  test("a lone tenant gets its whole part, and gets it again after a release", () => {
    fc.assert(
      fc.property(fc.integer({ min: 9, max: 5_000 }), (total) => {
        const share = createFairShare({ total });
        const alone = tenant("a", "one");
        const taken = takeAll(share, alone);
        expect(taken).toBeGreaterThanOrEqual(Math.floor((total * 2) / 3));
        expect(takeAll(share, tenant("a", "two")) + taken).toBeGreaterThanOrEqual(Math.floor((total * 8) / 9));

        const half = Math.floor(taken / 2);
        share.hold(alone, -half);
        expect(takeAll(share, alone)).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test("a newcomer always gets a share, however greedy the projects of another organization are", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 9, max: 5_000 }),
        fc.array(fc.constantFrom("one", "two", "three", "four"), { minLength: 1, maxLength: 200 }),
        (total, order) => {
          const share = createFairShare({ total });
          for (const project of order) takeAll(share, tenant("greedy", project));
          expect(takeAll(share, tenant("new", "first"))).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });

  test("when shares are revoked, a newcomer gets one as long as another tenant holds two", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.array(tenants, { minLength: 1, maxLength: 60 }),
        (total, order) => {
          const share = createFairShare({ total });
          const holds: Hold[] = [];
          for (const who of [...order.map(distinct), tenant("new", "first")]) {
            const isNew = share.heldBy(who).organization === 0;
            const isAnybodyRich = share.largest() > 1;
            const ended = share.obstacleTo(who, 1) === null ? [] : share.toMakeRoom(who, 1, holds);
            if (isNew && isAnybodyRich) expect(ended).not.toBeNull();
            if (ended === null) continue;
            expect(ended.length).toBeLessThanOrEqual(1);
            for (const hold of ended) {
              // Of the tenant that holds most, the oldest.
              expect(share.heldBy(hold.tenant).organization).toBe(share.largest());
              const same = holds.filter((one) => one.tenant.projectId === hold.tenant.projectId);
              expect(hold).toBe(same[0]);
              holds.splice(holds.indexOf(hold), 1);
              share.hold(hold.tenant, -1);
            }
            share.hold(who, 1);
            holds.push({ tenant: who, amount: 1 });
            expect(share.held()).toBeLessThanOrEqual(total);
          }
        },
      ),
    );
  });
});

test("without organizations each project is a separate tenant", () => {
  const share = createFairShare({ total: 90 });
  expect(takeAll(share, tenant(null, "one"))).toBe(60);
  expect(takeAll(share, tenant(null, "two"))).toBe(20);
  expect(share.obstacleTo(tenant(null, "one"), 1)).toBe("project");
  expect(share.obstacleTo(tenant(null, "three"), 11)).toBe("total");
  expect(share.obstacleTo(tenant(null, "three"), 10)).toBeNull();
});

test("a project leaves something to the next one of its organization, and the organization to others", () => {
  const share = createFairShare({ total: 90 });
  expect(takeAll(share, tenant("a", "one"))).toBe(60);
  expect(takeAll(share, tenant("a", "two"))).toBe(20);
  expect(share.obstacleTo(tenant("a", "three"), 1)).toBe("organization");
  expect(takeAll(share, tenant("b", "one of b"))).toBeGreaterThanOrEqual(6);
});

test("the maximum of a project applies however much is free", () => {
  const share = createFairShare({ total: 1_000, projectMax: 20 });
  expect(takeAll(share, tenant("a", "one"))).toBe(20);
  expect(share.obstacleTo(tenant("a", "one"), 1)).toBe("project");
});

describe("waiting requests", () => {
  interface Waiter {
    tenant: Tenant;
    number: number;
  }

  test("are served in turn: a tenant waits for at most one request of each other one, and its own keep their order", () => {
    const crowd = fc.array(fc.tuple(tenants, fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(crowd, (groups) => {
        // One slot, released at once: no tenant ever holds more than another.
        const share = createFairShare({ total: 1 });
        const line = createFairLine<Waiter>(share);
        const waiting = groups.flatMap(([who, count]) => Array.from({ length: count }, () => distinct(who)));
        const all = waiting.map((who, number): Waiter => ({ tenant: who, number }));
        for (const waiter of all) line.add(waiter);
        const served: Waiter[] = [];
        while (line.size() > 0) {
          let isFree = true;
          line.serve((waiter) => {
            if (!isFree) return "total";
            isFree = false;
            served.push(waiter);
            return null;
          });
        }

        expect(served).toHaveLength(all.length);
        const organizationOf = ({ tenant: { organizationId, projectId } }: Waiter) => organizationId ?? projectId;
        for (const [key, own] of Map.groupBy(served, organizationOf)) {
          const others = new Set(all.map(organizationOf)).size - 1;
          const turns = own.map((waiter) => served.indexOf(waiter));
          for (const [index, turn] of turns.entries()) {
            expect(turn - (turns[index - 1] ?? -1), key).toBeLessThanOrEqual(others + 1);
          }
        }
        for (const own of Map.groupBy(served, (waiter) => waiter.tenant.projectId).values()) {
          expect(own.map(({ number }) => number)).toEqual(own.map(({ number }) => number).sort((a, b) => a - b));
        }
      }),
    );
  });

  test("of the tenant that holds least come first, and a tenant whose own share is used up does not block the others", () => {
    const share = createFairShare({ total: 9 });
    const line = createFairLine<Waiter>(share);
    const rich = tenant(null, "rich");
    share.hold(rich, 6);
    const waiters = [rich, tenant(null, "poor"), rich].map((who, number): Waiter => ({ tenant: who, number }));
    for (const waiter of waiters) line.add(waiter);
    const served: number[] = [];
    line.serve((waiter) => {
      const obstacle = share.obstacleTo(waiter.tenant, 1);
      if (obstacle === null) {
        share.hold(waiter.tenant, 1);
        served.push(waiter.number);
      }
      return obstacle;
    });

    expect([served, line.size(), line.sizeOf(rich)]).toEqual([[1], 2, 2]);
    line.remove(waiters[0] as Waiter);
    line.remove(waiters[0] as Waiter);
    expect([line.size(), line.heads()]).toEqual([1, [waiters[2]]]);
  });
});
