import { describe, expect, it } from "vitest";
import { plainArray, textArray } from "../src/trace-store/writing/array-literal.ts";

describe("an array literal", () => {
  it("quotes every text, so that none is taken for NULL, and escapes quotes and backslashes", () => {
    expect(textArray(["a,b", "NULL", "", null, '{"k":"\\u0041"}', " é\n"])).toBe(
      '{"a,b","NULL","",NULL,"{\\"k\\":\\"\\\\u0041\\"}"," é\n"}',
    );
  });

  it("holds numbers, booleans and UUIDs as they are", () => {
    expect(plainArray([1, -0.5, null, 1e300, true])).toBe("{1,-0.5,NULL,1e+300,true}");
  });

  it("is left out where nothing is said", () => {
    expect([textArray([null, null]), plainArray([null]), textArray([])]).toEqual([null, null, null]);
  });
});
