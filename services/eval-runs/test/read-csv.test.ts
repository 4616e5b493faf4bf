import fc from "fast-check";
import { expect, test } from "vitest";
import { CsvError, readCsv } from "../src/datasets/read-csv.ts";

const read = (csv: string): string[][] => [...readCsv(csv)];

test.each([
  ["nothing", "", []],
  ["lines of each kind", "a,b\r\nc,d\ne,f\rg,h", ["ab", "cd", "ef", "gh"].map((pair) => [...pair])],
  ["a last line end", "a\n", [["a"]]],
  ["a byte order mark", "\ufeffa,b\n", [["a", "b"]]],
  ["a byte order mark before a quote", '\ufeff"a"\n', [["a"]]],
  ["commas, quotes and line ends in quotes", '"a,b","say ""hi""","x\r\ny\nz"', [["a,b", 'say "hi"', "x\r\ny\nz"]]],
  [
    "empty fields",
    ",,\n,",
    [
      ["", "", ""],
      ["", ""],
    ],
  ],
  ["a comma at the end", "a,", [["a", ""]]],
  ["lines with nothing in them", "a\n\n\r\n\nb\n", [["a"], ["b"]]],
  ["a quoted nothing", 'a\n""\nb', [["a"], [""], ["b"]]],
  ["a quote within a plain field", 'say "hi",b', [['say "hi"', "b"]]],
  ["space around", " a , b ", [[" a ", " b "]]],
])("reads %s", (_what, csv, records) => {
  expect(read(csv)).toEqual(records);
});

test("reads back whatever is written in quotes", () => {
  const field = fc.string({ unit: fc.constantFrom("a", '"', ",", "\r", "\n", " ", "é") });
  fc.assert(
    fc.property(fc.array(fc.array(field, { minLength: 1, maxLength: 4 })), (records) => {
      const csv = records
        .map((record) => record.map((text) => `"${text.replaceAll('"', '""')}"`).join(","))
        .join("\r\n");
      expect(read(csv)).toEqual(records);
    }),
  );
});

test("reports where a quote is never closed, and where text follows a closed one", () => {
  expect(() => read('a,b\nc,"d\ne')).toThrow(new CsvError("The quote that opens on line 2 is never closed"));
  expect(() => read('"a"\r\n"b" c\n')).toThrow(new CsvError("There is text behind a closing quote on line 2"));
});
