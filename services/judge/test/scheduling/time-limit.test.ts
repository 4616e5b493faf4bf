import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limitTime } from "../../src/scheduling/time-limit.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("the signal aborts when the time is up", () => {
  const limit = limitTime(new AbortController().signal, 1_000);
  vi.advanceTimersByTime(999);
  expect(limit.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(limit.signal.aborted).toBe(true);
  expect(limit.hasExpired()).toBe(true);
});

test("the signal aborts with its parent, also with an already aborted one, and for the parent's reason", () => {
  const parent = new AbortController();
  const before = limitTime(parent.signal, 1_000);
  parent.abort(new Error("gone"));
  const after = limitTime(parent.signal, 1_000);
  for (const limit of [before, after]) {
    expect(limit.signal.reason).toEqual(new Error("gone"));
    expect(limit.hasExpired()).toBe(false);
    limit.clear();
  }
});

test("a cleared limit leaves no timer and never aborts", () => {
  const parent = new AbortController();
  const limit = limitTime(parent.signal, 1_000);
  limit.clear();
  expect(vi.getTimerCount()).toBe(0);
  parent.abort();
  expect(limit.signal.aborted).toBe(false);
});
