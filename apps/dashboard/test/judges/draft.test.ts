import { expect, test } from "vitest";
import { bodyOfDraft, draftOf, emptyDraft, makesVersion, mistakesOf } from "../../src/judges/draft.ts";

const online = {
  enabled: true,
  sampleRate: 0.25,
  alertThreshold: 5,
  severity: "medium",
  scope: "trace",
  idleSeconds: 120,
  scopeMode: "selected",
  agentIds: ["a"],
} as const;
const stored = {
  name: "Helpful",
  judge: { evaluationCriteria: "Is it helpful?", toolContext: "none", requiresExpected: false },
  online,
} as const;

test("a stored judge goes through the form and comes out as it was", () => {
  const { name, judge, online: sent } = bodyOfDraft(draftOf(stored));
  expect(name).toBe("Helpful");
  expect(judge).toMatchObject({ evaluationCriteria: "Is it helpful?", acceptanceCriteria: null, toolContext: "none" });
  expect(sent).toEqual(online);
});

test("a share of a millionth of a percent survives the form", () => {
  const draft = draftOf({ ...stored, online: { ...online, sampleRate: 0.001 } });
  expect(draft.samplePercent).toBe("0.1");
  expect(bodyOfDraft(draft).online?.sampleRate).toBe(0.001);
});

test("without a live profile nothing rates; without a threshold nothing signals", () => {
  expect(bodyOfDraft({ ...emptyDraft, name: "A" }).online).toBeNull();
  expect(bodyOfDraft({ ...emptyDraft, name: "A", live: "paused", alertThreshold: "" }).online).toMatchObject({
    enabled: false,
    alertThreshold: null,
    scopeMode: "all",
  });
});

test("errors are shown at their controls", () => {
  expect(mistakesOf(emptyDraft)).toEqual({ name: "A judge needs a name." });
  const live = { ...emptyDraft, name: "A", live: "yes" } as const;
  expect(mistakesOf(live)).toEqual({});
  expect(Object.keys(mistakesOf({ ...live, samplePercent: "many", alertThreshold: "11" }))).toEqual([
    "samplePercent",
    "alertThreshold",
  ]);
  expect(Object.keys(mistakesOf({ ...live, scope: "session", idleSeconds: "1.5" }))).toEqual(["idleSeconds"]);
  expect(Object.keys(mistakesOf({ ...live, requiresExpected: true }))).toEqual(["requiresExpected"]);
});

test("a change of a judge's use makes no new version, a change of its input does", () => {
  const draft = draftOf(stored);
  expect(makesVersion(draft, { ...draft, samplePercent: "50", live: "paused" })).toBe(false);
  expect(makesVersion(draft, { ...draft, evaluationCriteria: "Is it correct?" })).toBe(true);
});
