import { expect, test } from "vitest";
import {
  labelsToStore,
  markStored,
  say,
  startSession,
  tallyOf,
  undo,
  unmarkStored,
} from "../../src/judges/label-session.ts";

const later = { ends: false };

test("the last label waits for the one after it, and is stored when the session ends", () => {
  const one = say(startSession(["a", "b", "c"]), "fail");
  expect(labelsToStore(one, later)).toEqual([]);
  expect(labelsToStore(one, { ends: true })).toEqual([{ traceId: "a", said: "fail" }]);
  const two = say(one, "pass");
  expect(labelsToStore(two, later)).toEqual([{ traceId: "a", said: "fail" }]);
  expect(labelsToStore(markStored(two, "a", "fail"), later)).toEqual([]);
});

test("undo goes back and leaves nothing of a label that waited", () => {
  const undone = undo(say(startSession(["a", "b"]), "fail"));
  expect(undone).toMatchObject({ at: 0, said: {} });
  expect(labelsToStore(undone, { ends: true })).toEqual([]);
  expect(undo(undone)).toBe(undone);
});

test("another label takes the place of a stored one", () => {
  const stored = markStored(say(say(startSession(["a", "b"]), "fail"), "pass"), "a", "fail");
  const again = say(undo(undo(stored)), "pass");
  expect(labelsToStore(again, { ends: true })).toEqual([{ traceId: "a", said: "pass" }]);
});

test("a label that could not be stored is to be stored again, and one said since then stays marked", () => {
  const done = markStored(say(startSession(["a"]), "fail"), "a", "fail");
  const refused = unmarkStored(done, "a", "fail");
  expect(labelsToStore(refused, { ends: true })).toEqual([{ traceId: "a", said: "fail" }]);
  expect(unmarkStored(refused, "a", "fail")).toBe(refused);
  const changed = markStored(say(undo(done), "pass"), "a", "pass");
  expect(unmarkStored(changed, "a", "fail")).toBe(changed);
});

test("what is skipped is counted and never stored; after the last trace nothing is said", () => {
  const done = say(say(startSession(["a", "b"]), "skip"), "pass");
  expect(say(done, "fail")).toBe(done);
  expect(tallyOf(done)).toEqual({ pass: 1, fail: 0, skip: 1 });
  expect(labelsToStore(done, { ends: true })).toEqual([{ traceId: "b", said: "pass" }]);
});
