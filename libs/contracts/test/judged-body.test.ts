import { expect, test } from "vitest";
import { type JudgedBody, type Route, routes } from "../src/index.ts";

type JsonSchema = Record<string, unknown>;

const judgedBodies = Object.values<Route>(routes).flatMap(({ id, body }) =>
  body !== undefined && "sentences" in body ? [{ id, body: body as JudgedBody }] : [],
);

/** The paths of all lists in a JSON schema that may be of any length. Lists in any JSON are left out: no item can be wrong. */
function unboundedLists(schema: unknown, path: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, maxItems, items } = schema as JsonSchema;
  const inner = Object.entries(schema).flatMap(([key, value]) => unboundedLists(value, `${path}/${key}`));
  const isOfAnyJson = typeof items === "object" && items !== null && "$ref" in items;
  return type === "array" && maxItems === undefined && !isOfAnyJson ? [path, ...inner] : inner;
}

test("every list in a judged body has a maximum: without one, a wrong list of a megabyte costs an issue for each item", () => {
  expect(judgedBodies.length).toBeGreaterThan(20);
  expect(judgedBodies.flatMap(({ id, body }) => unboundedLists(body.schema.toJSONSchema({ io: "input" }), id))).toEqual(
    [],
  );
});

test("no judged body has JSON of any form that its schema walks: ten megabytes of it take a third of a second", () => {
  const walked = judgedBodies.filter(({ body }) =>
    JSON.stringify(body.schema.toJSONSchema({ io: "input" })).includes('"$ref"'),
  );
  expect(walked.map(({ id }) => id)).toEqual([]);
});
