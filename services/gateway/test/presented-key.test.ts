import { expect, test } from "vitest";
import { readPresentedKey } from "../src/credentials/presented-key.ts";

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;

test.each([
  [{ "x-api-key": "a" }, "a"],
  [{ "x-api-key": "a", authorization: "Bearer b" }, "a"],
  [{ authorization: "Bearer b" }, "b"],
  [{ authorization: "bEaReR   b " }, "b"],
  [{ authorization: basic("user:b") }, "b"],
  [{ authorization: basic("user:b:c") }, "b:c"],
  [{ authorization: basic(":b") }, "b"],
  [{ authorization: basic("b") }, null],
  [{ authorization: "Basic" }, null],
  [{ authorization: "Digest b" }, null],
  [{ authorization: "b" }, null],
  [{}, null],
])("a request with the headers %j presents the key %j", (headers, key) => {
  expect(readPresentedKey(headers, ["key", "authorization"])).toBe(key);
});

test("a key in a header that the route does not read is not presented", () => {
  expect(readPresentedKey({ authorization: "Bearer b" }, ["key"])).toBeNull();
  expect(readPresentedKey({ "x-api-key": "a" }, ["none"])).toBeNull();
});
