import { describe, expect, test } from "vitest";
import { firstGateForm, gateCommand, readGateForm } from "../../src/gates/gate-form.ts";

describe("the form of a gate", () => {
  test("is the query of what is switched on", () => {
    expect(readGateForm(firstGateForm).query).toEqual({ failUnder: "7", method: "paired", minEffect: "0.5" });
    const form = { ...firstGateForm, hasFloor: false, hasTolerance: true, isStrict: true };
    expect(readGateForm(form).query).toEqual({
      noRegression: "true",
      tolerance: "0.5",
      method: "paired",
      minEffect: "0.5",
      strict: "true",
    });
  });

  test("tells a number that is none, and asks nothing", () => {
    const { query, mistakes } = readGateForm({ ...firstGateForm, failUnder: "seven", minEffect: "0" });
    expect(query).toBeNull();
    expect(Object.keys(mistakes)).toEqual(["failUnder", "minEffect"]);
  });

  test("without a check asks nothing, and nothing is wrong with it", () => {
    expect(readGateForm({ ...firstGateForm, hasFloor: false, isPaired: false })).toEqual({ query: null, mistakes: {} });
  });
});

test("the command keeps the verdict", () => {
  const command = gateCommand({ address: "http://t", apiKey: "k", runId: "r", query: { failUnder: "7" } });
  expect(command).toContain("http://t/api/v1/custom-agent-evaluations/runs/r/gate?failUnder=7&record=1&caller=");
});
