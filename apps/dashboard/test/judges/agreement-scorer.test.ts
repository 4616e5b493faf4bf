import { expect, test } from "vitest";
import { scorerOf } from "../../src/judges/agreement-scorer.ts";

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
