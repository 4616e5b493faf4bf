import { readFile } from "node:fs/promises";
import path from "node:path";
import { openApiFile, type Route, routes } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "../repository-files.ts";
import { goldenFiles } from "./golden-files.ts";
import { readableJson } from "./readable-json.ts";

describe("generated files", () => {
  test.for(goldenFiles)("$path is what `node tools/generate.ts` writes", async ({ path: name, render }) => {
    expect(await readFile(path.join(repositoryRoot, name), "utf8")).toBe(await render());
  });

  test("every route of the contracts is in the committed OpenAPI document", async () => {
    const document = JSON.parse(await readFile(openApiFile, "utf8"));
    for (const { method, path: address, id } of Object.values<Route>(routes)) {
      expect(document.paths[address]?.[method.toLowerCase()]?.operationId).toBe(id);
    }
  });
});

describe("readable JSON", () => {
  test("stays JSON of the same value, omits undefined and ends with a newline", () => {
    const value = { a: [1, "x", null, { deep: "y".repeat(200) }], b: {}, c: undefined, d: [], e: "ü\n" };
    const text = readableJson(value);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    expect(text.endsWith("}\n")).toBe(true);
  });

  test("keeps short values on one line, and breaks up the rest", () => {
    expect(readableJson({ short: [1, 2], long: ["x".repeat(60), "y".repeat(60)] })).toBe(
      `{\n  "short": [1, 2],\n  "long": [\n    "${"x".repeat(60)}",\n    "${"y".repeat(60)}"\n  ]\n}\n`,
    );
  });
});
