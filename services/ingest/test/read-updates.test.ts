import { limits } from "@touchstone/contracts";
import { expect, onTestFinished, test, vi } from "vitest";
import { readUpdates, type SentUpdate } from "../src/span-updates/read-updates.ts";

const ids = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const attributes = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`attribute.${index}`, index]));
/** Makes a body large. */
const padding = { ...ids, id: "padding", name: "x".repeat(200_000) };

const read = (text: string): Promise<SentUpdate[]> =>
  readUpdates(text, {
    read: (sent) => sent,
    namesMax: limits.batchNamesMax,
    signal: () => new AbortController().signal,
  });

test("attributes that are too many are not parsed, and the updates beside them are read", async () => {
  const many = { ...ids, id: "many", name: "agent", attributes: attributes(45_000) };
  const few = { ...ids, id: "few", attributes: attributes(1_000) };
  const text = JSON.stringify({ updates: [few, many, few] });
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());

  const updates = await read(text);

  expect(Math.max(...parse.mock.calls.map(([parsed]) => parsed.length))).toBeLessThan(50_000);
  expect(updates).toEqual([
    { update: few, refusal: null },
    { update: { ...ids, id: "many", name: "agent" }, refusal: "The update has more than 16384 attributes." },
    { update: few, refusal: null },
  ]);
});

test("a large body is read like a small one, each update by itself", async () => {
  const repeated = `{"traceId":"${ids.traceId}","spanId":"${ids.spanId}","attributes":{"a":1,"a":"\\u00e9","__proto__":{"b":[1e400]}}}`;
  const small = await read(`{"updates":[${repeated}]}`);
  const text = `{"updates":[${repeated}, ${JSON.stringify(padding)}, ${repeated}],"unknown":[{}]}`;
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());

  const large = await read(text);

  expect(large).toEqual([...small, { update: padding, refusal: null }, ...small]);
  expect(parse.mock.calls.map(([parsed]) => parsed.length)).toEqual(
    [repeated, JSON.stringify(padding), repeated].map(({ length }) => length),
  );
});

test.each([
  ["broken off", `{"updates":[${JSON.stringify(padding)}`, /JSON/],
  ["with more text behind it", `{"updates":[${JSON.stringify(padding)}]} {}`, /JSON/],
  ["without updates", `{"update":[${JSON.stringify(padding)}]}`, "updates must be a list of 1 to 1000 span updates"],
  ["with an update that is none", `{"updates":[${JSON.stringify(padding)},7]}`, /^updates\[1\]/],
  ["that is no object", JSON.stringify([padding]), "updates must be a list of 1 to 1000 span updates"],
  [
    "that nests too deep",
    `{"updates":[${JSON.stringify(padding)}],"a":${"[".repeat(128)}${"]".repeat(128)}}`,
    "The body nests deeper than 128 levels.",
  ],
  [
    "with too many members",
    JSON.stringify({ updates: [{ ...ids, attributes: attributes(limits.batchNamesMax) }] }),
    "The request body holds more than 50000 members of JSON objects.",
  ],
])("a large body %s is refused with the reason", async (_what, text, reason) => {
  await expect(read(text)).rejects.toThrow(reason);
});
