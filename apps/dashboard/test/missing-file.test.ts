import { expect, test } from "vitest";
import { isMissingFile } from "../src/ui/missing-file.ts";

test.each([
  "Failed to fetch dynamically imported module: http://127.0.0.1:4700/assets/runs-page-x.js",
  "error loading dynamically imported module: http://127.0.0.1:4700/assets/runs-page-x.js",
  "Importing a module script failed.",
  "Unable to preload CSS for /assets/runs-page-x.css",
])("%s is a file of a version that is gone", (message) => {
  expect(isMissingFile(new TypeError(message))).toBe(true);
});

test("other failures are not", () => {
  expect(isMissingFile(new TypeError("x is not a function"))).toBe(false);
  expect(isMissingFile("Failed to fetch dynamically imported module")).toBe(false);
});
