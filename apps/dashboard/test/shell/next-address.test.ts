import { expect, test } from "vitest";
import { readNext, withNext } from "../../src/shell/next-address.ts";

test("a path of this origin is where one goes on, with its query", () => {
  expect(readNext("/p/1/traces?search=a%20b&to=2026")).toBe("/p/1/traces?search=a%20b&to=2026");
  expect(readNext("/")).toBe("/");
});

test.each([
  "//evil.example/path",
  "/\\evil.example",
  "\\/evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/..//evil.example",
  "/.//evil.example",
  "https://evil.example",
  "javascript:alert(1)",
  " /p/1",
  "p/1",
  "",
  undefined,
  1,
  ["/p"],
])("%j leads elsewhere or nowhere and is not followed", (raw) => {
  expect(readNext(raw)).toBeNull();
});

test("next survives being carried in an address", () => {
  const address = withNext("/sign-in", "/p/1/traces?search=a&b=c");
  expect(readNext(new URL(address, "https://x.example").searchParams.get("next"))).toBe("/p/1/traces?search=a&b=c");
  expect(withNext("/sign-in", null)).toBe("/sign-in");
});
