import { type Route, routes } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { bodiesReadByHand, findUnjudgedBodies } from "./json-bodies.ts";
import { findLargeFiles } from "./measure-size.ts";
import { findRepeated, findStatementNames } from "./statements.ts";

test("a file of more than two megabytes is found, and one of exactly two is not", () => {
  const planted = { file: "docs/images/film.mp4", bytes: 2 * 1024 * 1024 + 1 };
  expect(findLargeFiles([{ file: "docs/images/run.png", bytes: 2 * 1024 * 1024 }, planted])).toEqual([planted]);
});

test("a JSON body that no schema judges is found, and so is a route that the list names without need", () => {
  const planted: Route = { ...routes.submitTrace, id: "planted" };
  const all = Object.values<Route>(routes);
  expect(findUnjudgedBodies([...all, planted], bodiesReadByHand)).toEqual([
    "planted has a body that no schema judges: use judged().",
  ]);
  expect(findUnjudgedBodies(all, [...bodiesReadByHand, "createWebhook"])).toEqual([
    "createWebhook needs no place on the list: take it off.",
  ]);
});

test("two statements of one service under one name are found, and those of two services are not", () => {
  const read = 'query({ name: "read_key", text: `select 1` })';
  const sources = [
    { path: "services/auth/src/keys/key-store.ts", text: read },
    { path: "services/auth/src/keys/key-reader.ts", text: read.replace(" text", " // one row\n text") },
    { path: "services/judge/src/keys/key-store.ts", text: `${read}; query({ name: "read_keys", text })` },
  ];
  expect(findRepeated(findStatementNames(sources))).toEqual(["services/auth read_key"]);
});
