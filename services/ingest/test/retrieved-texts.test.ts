import { runAtOnce } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { readRetrievedTexts } from "../src/judging/retrieved-texts.ts";

const ample = { documents: 500, chars: 1024 };

test("documents are read up to the room for them, and nothing behind it", () => {
  const broken = '["Rome",{"text":"Oslo"},"Bern",not JSON';

  expect(runAtOnce(readRetrievedTexts(broken, { documents: 2, chars: 100 }))).toEqual(["Rome", "Oslo"]);
  expect(runAtOnce(readRetrievedTexts(broken, { documents: 9, chars: 6 }))).toEqual(["Rome", "Os"]);
  expect(runAtOnce(readRetrievedTexts(broken, { documents: 0, chars: 100 }))).toEqual([]);
});

test("the room is shared by the spans of a trace", () => {
  const room = { documents: 3, chars: 100 };
  const read = (texts: string[]) => runAtOnce(readRetrievedTexts(JSON.stringify(texts), room));

  expect([read(["a", "", "b"]), read(["c", "d"]), read(["e"])]).toEqual([["a", "b"], ["c"], []]);
});

test.each([
  ["a list of blank documents", `[${'{"text":" "},'.repeat(50_000)}null]`],
  ["a document of many members", `[{${'"a":1,'.repeat(100_000)}"text":""}]`],
  ["an object without a list", `{${'"a":{},'.repeat(100_000)}"document":""}`],
])("%s is read with points to pause", (_what, json) => {
  const reading = readRetrievedTexts(json, { ...ample });
  let pauses = 0;
  let step = reading.next();
  for (; !step.done; step = reading.next()) pauses += 1;

  expect(step.value).toEqual([]);
  expect(pauses).toBeGreaterThan(json.length / 40_000);
});

test("a text that is too deep inside its document is not looked for", () => {
  const wrap = (depth: number): unknown => (depth === 0 ? "Rome" : { content: wrap(depth - 1) });
  const read = (depth: number) => runAtOnce(readRetrievedTexts(JSON.stringify([wrap(depth)]), { ...ample }));

  expect(read(4)).toEqual(["Rome"]);
  expect(read(5)).toEqual([JSON.stringify(wrap(5))]);
});
