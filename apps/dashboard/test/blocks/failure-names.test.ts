import { expect, test } from "vitest";
import { nameFailure, raisesSignal, readFailureKey } from "../../src/blocks/failure-names.ts";

const known = { judges: new Map([["7", "Policy"]]), patterns: new Map([["custom:asks", "Asks for a secret"]]) };

test.each([
  ["online-eval:7", "judge", "rated low by Policy", true],
  ["online-eval:8", "judge", "rated low by a judge", true],
  ["custom:asks", "pattern", "Asks for a secret", true],
  ["secrets-in-response", "pattern", "secrets-in-response", true],
  ["negative-feedback", "vote", "voted down", true],
  ["alert-rule:7", "rule", "alert rule", true],
  ["agent-tool-failure:find_order", "tool", "tool find_order fails", false],
  ["agent-trace-error", "error", "ends in an error", false],
  ["empty-agent-response", "empty", "empty answer", false],
])("%s is read and named", (patternKey, kind, name, raises) => {
  expect(readFailureKey(patternKey).kind).toBe(kind);
  expect(nameFailure(patternKey, known)).toBe(name);
  expect(raisesSignal(patternKey)).toBe(raises);
});
