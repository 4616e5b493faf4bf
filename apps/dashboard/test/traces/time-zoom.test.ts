import fc from "fast-check";
import { expect, test } from "vitest";
import { axisTicks, barOf, printZoom, readZoom, zoomOnto } from "../../src/traces/time-zoom.ts";

const whole = { fromMs: -100, toMs: 10_000 };

test("a zoom in the URL is read back as the same stretch, to a microsecond", () => {
  const times = fc.double({ min: -100, max: 10_000, noNaN: true });
  fc.assert(
    fc.property(times, times, (left, right) => {
      const zoom = { fromMs: Math.min(left, right), toMs: Math.max(left, right) };
      fc.pre(zoom.toMs - zoom.fromMs > 0.01);
      const read = readZoom(printZoom(zoom), whole);
      expect(read?.fromMs).toBeCloseTo(zoom.fromMs, 2);
      expect(read?.toMs).toBeCloseTo(zoom.toMs, 2);
    }),
  );
});

test("a zoom that is no stretch of the trace is left out, and one that is longer is cut", () => {
  for (const text of [undefined, "", "abc", "5..", "7..3", "20000..30000", "1e3..2e3"])
    expect(readZoom(text, whole)).toBeNull();
  expect(readZoom("-500..50", whole)).toEqual({ fromMs: -100, toMs: 50 });
});

test("a zoom onto a span has a margin on both sides and stays within the trace, also around a span that took no time", () => {
  expect(zoomOnto(1_000, 1_000, whole)).toEqual({ fromMs: 950, toMs: 2_050 });
  expect(zoomOnto(-100, 200, whole).fromMs).toBe(-100);
  const around = zoomOnto(500, null, whole);
  expect(around.toMs).toBeGreaterThan(around.fromMs);
});

test("a bar follows the zoom, is cut at the ends of the track, and never thinner than a tick", () => {
  const zoom = { fromMs: 0, toMs: 1_000 };
  expect(barOf(250, 500, zoom, 400)).toEqual({ left: 100, width: 200, isTick: false, beyond: null });
  expect(barOf(-500, 1_000, zoom, 400)).toEqual({ left: 0, width: 200, isTick: false, beyond: null });
  expect(barOf(250, 1, zoom, 400)).toEqual({ left: 100, width: 2, isTick: true, beyond: null });
  expect(barOf(1_000, 0, zoom, 400)).toEqual({ left: 398, width: 2, isTick: true, beyond: null });
  expect(barOf(-10, 5, zoom, 400).beyond).toBe("before");
  expect(barOf(1_001, 5, zoom, 400).beyond).toBe("after");
});

test("wherever a span lies its bar stays in the track", () => {
  const time = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(time, fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })), time, (offset, latency, from) => {
      const { left, width } = barOf(offset, latency, { fromMs: from, toMs: from + 1_000 }, 300);
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left + width).toBeLessThanOrEqual(300.001);
    }),
  );
});

test("an axis has round times with their unit", () => {
  const labels = (toMs: number, most: number) => axisTicks({ fromMs: 0, toMs }, most).map(({ label }) => label);
  expect(labels(30_595, 4)).toEqual(["0", "10 s", "20 s", "30 s"]);
  expect(labels(900, 4)).toEqual(["0", "500 ms"]);
  expect(labels(1_600, 4)).toEqual(["0", "0.5 s", "1 s", "1.5 s"]);
  expect(labels(3.2, 4)).toEqual(["0", "1 ms", "2 ms", "3 ms"]);
  expect(labels(600_000, 4)).toEqual(["0", "5 min", "10 min"]);
  expect(axisTicks({ fromMs: 5, toMs: 5 }, 4)).toEqual([]);
});

test("an axis has no more times than asked for, one for the start besides", () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 1e9, noNaN: true }), fc.integer({ min: 1, max: 12 }), (length, most) => {
      expect(axisTicks({ fromMs: 0, toMs: length }, most).length).toBeLessThanOrEqual(most + 1);
    }),
  );
});
