import { describe, expect, it } from "vitest";
import { integerArray, parameters } from "../src/parameters.ts";

interface Row {
  id: string;
  name: string | null;
  rating: number | null;
  isRoot: boolean;
}

const $ = parameters<Row, "shard" | "quota">(
  {
    id: ["uuid", (row) => row.id],
    name: ["text", (row) => row.name],
    rating: ["float8", (row) => row.rating],
    is_root: ["boolean", (row) => row.isRoot],
  },
  ["shard", "quota"],
);
const row = { id: "0190a000-0000-7000-8000-000000000000", name: "Paris", rating: 0.5, isRoot: true };

describe("the parameters of a statement", () => {
  it("number the columns, then the scalars, each in the order in which it is listed", () => {
    expect([$.arrays, $.names, $.shard, $.quota]).toEqual([
      "$1::uuid[], $2::text[], $3::float8[], $4::boolean[]",
      "id, name, rating, is_root",
      "$5",
      "$6",
    ]);
  });

  it("have their values in the same order, whatever the order of the arguments", () => {
    const values = $.values([row, { ...row, name: null, rating: -1e300, isRoot: false }], { quota: null, shard: 7 });
    expect(values).toEqual([`{${row.id},${row.id}}`, '{"Paris",NULL}', "{0.5,-1e+300}", "{true,false}", 7, null]);
  });

  it("quote every text, so that none is read as NULL, and escape quotes and backslashes", () => {
    const names = ["a,b", "NULL", "", null, '{"k":"\\u0041"}', " é\n"];
    const [, literal] = $.values(
      names.map((name) => ({ ...row, name })),
      { shard: 0, quota: 0 },
    );
    expect(literal).toBe('{"a,b","NULL","",NULL,"{\\"k\\":\\"\\\\u0041\\"}"," é\n"}');
  });

  it("leave out an array in which all elements are null", () => {
    expect($.values([{ ...row, name: null, rating: null }], { shard: 0, quota: 0 }).slice(1, 3)).toEqual([null, null]);
    expect(integerArray([])).toBeNull();
  });

  it("may be whole numbers that are not read from rows", () => {
    expect(integerArray([1, 2, 30])).toBe("{1,2,30}");
  });
});
