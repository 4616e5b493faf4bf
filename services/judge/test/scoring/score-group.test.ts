import { expect, test } from "vitest";
import { scoreGroup } from "../../src/scoring/score-group.ts";

const member = { refId: "a", name: "Rude", weight: 1, gate: false };

test.each(["judge", "pattern", "custom"] as const)(
  "a member that the live budget stopped leaves the group without a score: %s",
  (kind) => {
    const stopped = { ...member, kind, goodness: null, because: null, stoppedByBudget: true };
    const found = { ...member, kind: "custom" as const, goodness: 1, because: null, stoppedByBudget: false };
    expect(scoreGroup({ name: "All", members: [found, stopped as never] }, [])).toEqual({
      rating: null,
      justification: 'No score: the live judge budget stopped "Rude". Online judge budget exhausted',
      reason: "quota",
      gatedBy: null,
    });
  },
);
