import { describe, expect, test } from "vitest";
import { encodeList, Pieces } from "../src/index.ts";

const read = (body: string | Pieces): string => (body instanceof Pieces ? body.join().toString() : body);

describe("the text of a list", () => {
  test("of short items is one text", async () => {
    expect(await encodeList('{"a":[', ["1", "2"], "]}")).toBe('{"a":[1,2]}');
    expect(await encodeList("[", [], "]")).toBe("[]");
  });

  test("of long items comes in parts, none of them cut within a character", async () => {
    const items = [
      "1",
      `"${"🙂".repeat(2_500_000)}"`,
      "2",
      `"x${"🙂".repeat(2_500_000)}"`,
      `"${"y".repeat(4_000_000)}"`,
      "3",
    ];

    const body = await encodeList('{"a":[', items, '],"b":true}');

    expect(body).toBeInstanceOf(Pieces);
    expect(read(body) === `{"a":[${items.join(",")}],"b":true}`).toBe(true);
    expect(Math.max(...(body as Pieces).all.map(({ length }) => length))).toBeLessThan(9 * 1024 * 1024);
  });

  test("lets other work go on between its parts", async () => {
    let turns = 0;
    const count = setImmediate(function next() {
      turns += 1;
      if (turns < 100) setImmediate(next);
    });
    await encodeList("", ["x".repeat(20 * 1024 * 1024)], "");
    clearImmediate(count);
    expect(turns).toBeGreaterThanOrEqual(5);
  });
});
