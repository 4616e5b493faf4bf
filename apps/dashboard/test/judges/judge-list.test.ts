import { expect, test } from "vitest";
import { describeGroupLive, describeLive, orderJudges } from "../../src/judges/judge-list.ts";

test("what a judge rates by itself is said in words", () => {
  const online = { enabled: true, sampleRate: 0.25 };
  expect(describeLive(null)).toBe("runs only");
  expect(describeLive(online)).toBe("25% of traces");
  expect(describeLive({ ...online, sampleRate: 0.005 })).toBe("0.5% of traces");
  expect(describeLive({ ...online, sampleRate: 1 })).toBe("every trace");
  expect(describeLive({ ...online, scopeMode: "selected", agentIds: ["a"] })).toBe("25% of traces of 1 agent");
  expect(describeLive({ enabled: true, sampleRate: 1, scope: "session", idleSeconds: 120 })).toBe(
    "every session after 2 min of silence",
  );
});

test("a group that is paused is said to be paused", () => {
  const online = { enabled: true, sampleRate: 0.25 };
  expect(describeGroupLive(online)).toBe("25% of traces");
  expect(describeGroupLive({ ...online, enabled: false })).toBe("25% of traces, paused");
  expect(describeGroupLive(null)).toBe("runs only");
});

test("judges at work come first, built-in ones last", () => {
  const live = { enabled: true, sampleRate: 1 };
  const judges = [
    { name: "Built-in", seeded: true, online: null },
    { name: "Paused built-in", seeded: true, online: { ...live, enabled: false } },
    { name: "Own", seeded: false, online: null },
    { name: "Paused", seeded: false, online: { ...live, enabled: false } },
    { name: "Live", seeded: true, online: live },
    { name: "Also live", seeded: false, online: live },
  ];
  const names = orderJudges(judges).map(({ name }) => name);
  expect(names).toEqual(["Also live", "Live", "Paused", "Own", "Built-in", "Paused built-in"]);
});
