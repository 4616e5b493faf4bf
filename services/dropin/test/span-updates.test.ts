import type { LangfuseEvent } from "@touchstone/contracts";
import { parseIsoTime } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { EventError, joinReaches, readSpanEvent } from "../src/langfuse/span-updates.ts";

const eventAt = "2026-01-05T00:00:00.000Z";
const nowMs = Date.parse(eventAt);

function updateOf(type: string, body: Record<string, unknown>, { timestamp = eventAt, bodyText = "" } = {}) {
  const event: LangfuseEvent = { id: "event", type, timestamp, body };
  const update = readSpanEvent(event, bodyText || JSON.stringify(body), nowMs)?.update;
  if (update === undefined) throw new Error("The event is not about a span.");
  return update;
}

describe("the metadata of an event", () => {
  const manyEntries = (count: number) => ({
    id: "o",
    traceId: "t",
    metadata: Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, index])),
  });

  test("are read once each, as many as a span takes", () => {
    const { attributes = {} } = updateOf("span-create", manyEntries(16_384));
    expect(attributes?.["langfuse.observation.metadata.key 16383"]).toBe("16383");
  });

  test("are not read if they are more than a span takes", () => {
    const tooMany = new EventError("The event has more than 16384 members in its metadata");
    expect(() => updateOf("span-create", manyEntries(16_385))).toThrow(tooMany);
    expect(() => updateOf("trace-create", manyEntries(16_385))).toThrow(tooMany);
  });

  test("have the last of several entries with one name, also when it states nothing", () => {
    const bodyText = '{"id":"o","traceId":"t","metadata":{"a":1.0,"b":"first","a":"last","b":null}}';
    const { attributes } = updateOf("span-create", { id: "o", traceId: "t" }, { bodyText });
    expect(attributes?.["langfuse.observation.metadata.a"]).toBe("last");
    expect(attributes).not.toHaveProperty(["langfuse.observation.metadata.b"]);
  });

  test("are sent on only where they state something", () => {
    const { attributes = {} } = updateOf("span-create", { id: "o", traceId: "t", input: "in" });
    expect(Object.values(attributes ?? {})).not.toContain(null);
    expect(attributes?.["langfuse.observation.input"]).toBe("in");
  });
});

describe("the update of a trace", () => {
  /** The order in which the updates count, by their places. */
  const orderOf = (...stated: [traceTime: string, eventTime: string][]) =>
    stated
      .map(([time, timestamp], place) => ({
        place,
        time: updateOf("trace-create", { id: "t", timestamp: time }, { timestamp }).time,
      }))
      .toSorted((one, other) => (parseIsoTime(one.time ?? "") ?? 0) - (parseIsoTime(other.time ?? "") ?? 0))
      .map(({ place }) => place);
  const at = (time: string) => `2026-01-05T${time}Z`;

  test("counts by the time of its event, if several have one time of the trace", () => {
    const time = at("00:00:00.000");
    const eventTimes = ["01:00:00.001", "00:30:00", "01:00:00", "00:00:00.010", "00:00:00", "00:00:10"];
    expect(orderOf(...eventTimes.map((eventTime): [string, string] => [time, at(eventTime)]))).toEqual([
      4, 3, 5, 1, 2, 0,
    ]);
  });

  test("counts by the time of the trace, if its event is only as late as media make it", () => {
    expect(orderOf([at("00:00:00.002"), at("00:00:00.010")], [at("00:00:00"), at("00:00:05")])).toEqual([1, 0]);
  });

  test("does not count after an update that came just behind it, if it is of an older trace", () => {
    expect(orderOf([at("00:00:00.002"), at("00:00:00.003")], ["2024-01-01T00:00:00Z", at("00:00:00.020")])).toEqual([
      1, 0,
    ]);
  });

  test("counts by when the trace was changed, if it says so, and starts and ends as it would without that", () => {
    const body = { id: "t", timestamp: at("00:00:00.000"), output: "done" };
    const stated = updateOf("trace-create", body, { timestamp: at("00:00:00.000") });
    const updatedAt = at("23:00:00.000");
    expect(updateOf("trace-create", { ...body, updatedAt }, { timestamp: at("00:00:00.000") })).toEqual({
      ...stated,
      time: updatedAt,
    });
  });

  test.each(["1969-12-31T23:59:59Z", "+275760-09-13T00:00:01Z", "soon"])("is refused with the time %s", (timestamp) => {
    expect(() => updateOf("trace-create", { id: "t", timestamp: eventAt }, { timestamp })).toThrow("ISO 8601");
  });
});

describe("what an observation states of the time of its trace", () => {
  const eventOf = (startTime: string, endTime: string) => {
    const body = { id: "o", traceId: "t", startTime, endTime };
    return readSpanEvent({ id: "event", type: "span-create", timestamp: eventAt, body }, JSON.stringify(body), nowMs);
  };
  const [soon, inTwoDays] = ["2026-01-05T12:00:00.000Z", "2026-01-07T00:00:00.000Z"];

  test("is nothing if it starts more than a day ahead, as it is refused then", () => {
    expect(() => eventOf(inTwoDays, inTwoDays)).toThrow("body.startTime: is more than 24 hours ahead");
    expect(eventOf(soon, soon)?.reach).toMatchObject({ startTime: soon, endTime: soon });
  });

  test("is only its start if it ends more than a day ahead, so that other observations end the trace", () => {
    const ahead = eventOf(eventAt, inTwoDays);
    expect(ahead?.update).toMatchObject({ startTime: eventAt, endTime: inTwoDays });
    const reaches = [ahead, eventOf(eventAt, soon)].flatMap((event) => event?.reach ?? []);
    expect(joinReaches(reaches)).toMatchObject([{ startTime: eventAt, endTime: soon }]);
  });
});
