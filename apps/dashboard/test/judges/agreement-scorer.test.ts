import { expect, test } from "vitest";
import { scorerOf, verdictOfPair } from "../../src/judges/agreement-scorer.ts";

const judge = {
  _id: "j",
  name: "Helpful",
  online: { profileId: "p", alertThreshold: 5, scope: "trace" },
};

test("a page's id names a live judge or a live group, and nothing that rates no live traffic", () => {
  const group = { _id: "g", name: "Quality", online: { alertThreshold: null } };
  expect(scorerOf("j", [judge], [group])).toEqual({
    key: "online-eval:p",
    name: "Helpful",
    threshold: 5,
    isSession: false,
  });
  expect(scorerOf("g", [judge], [group])).toMatchObject({ key: "scorer-group:g", threshold: null });
  expect(scorerOf("j", [{ ...judge, online: null }], [])).toBeNull();
  expect(scorerOf("?", [judge], [group])).toBeNull();
});

test("a pair's verdict names its scorer and the version that judged", () => {
  const said = { rating: 2, threshold: 5, justification: "Rude.", verdictId: "v" };
  const pair = { traceId: "t", ...said, scorerVersion: 2, judgedAt: "now" };
  expect(verdictOfPair(pair, { key: "online-eval:p", name: "Helpful" })).toMatchObject({
    traceId: "t",
    rating: 2,
    threshold: 5,
    scorer: { kind: "judge", name: "Helpful", evaluatorId: "p", version: 2 },
  });
  expect(verdictOfPair(pair, { key: "scorer-group:g", name: "Quality" }).scorer).toMatchObject({
    kind: "group",
    evaluatorId: "g",
  });
});
