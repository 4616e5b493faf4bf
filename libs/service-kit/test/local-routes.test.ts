import { expect, test } from "vitest";
import { createLocalRoutes } from "../src/local-routes.ts";

const routes = createLocalRoutes<string>();
for (const path of ["/sets", "/sets/{id}", "/sets/{id}/versions", "/sets/{id}/{part}", "/sets/all", "/{kind}/last"]) {
  routes.add("GET", path, path);
}

test.each([
  ["/sets", "/sets", {}],
  ["/sets/all", "/sets/all", {}],
  ["/sets/7", "/sets/{id}", { id: "7" }],
  ["/sets/7/versions", "/sets/{id}/versions", { id: "7" }],
  ["/sets/7/other", "/sets/{id}/{part}", { id: "7", part: "other" }],
  ["/runs/last", "/{kind}/last", { kind: "runs" }],
  ["/sets/last", "/sets/{id}", { id: "last" }],
])("%s is a request for %s", (path, route, params) => {
  expect(routes.find("GET", path)).toEqual({ route, params });
});

test.each(["/sets/", "/sets/%37", "/sets/7/versions/1", "/runs/7", "sets/7"])("%s is left to the router", (path) => {
  expect(routes.find("GET", path)).toBeNull();
});

test("a route of another method is not found", () => {
  expect(routes.find("PUT", "/sets/7")).toBeNull();
});
