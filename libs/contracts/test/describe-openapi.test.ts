import { describe, expect, test } from "vitest";
import { z } from "zod";
import { describeOpenApi, type Route, routeAliases, routes } from "../src/index.ts";

const all: readonly Route[] = Object.values(routes);
const document = describeOpenApi(all);

const sample: Route = {
  id: "moveThing",
  method: "POST",
  path: "/things/{thingId}",
  owner: "ingest",
  authentication: ["key"],
  rateGroup: "dataPlane",
  envelope: "standard",
  params: z.object({ thingId: z.string() }),
  query: z.object({ far: z.string().optional().describe("how far"), to: z.string() }),
  body: { kind: "json", schema: z.object({ workspaceId: z.string() }), maxBytes: 1, required: false },
  responses: { 200: { description: "Moved.", schema: z.object({ at: z.int() }) } },
  deadlineMs: 1,
  summary: "Move a thing.",
  section: "nowhere",
};
const ofSample = describeOpenApi([sample]);

/** From the document of all routes, or from one of the route alone. */
function operationOf(route: Route, { paths } = document): Record<string, unknown> {
  const operation = paths[route.path]?.[route.method.toLowerCase()];
  if (operation === undefined) throw new Error(`${route.id} is missing`);
  return operation as Record<string, unknown>;
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === "$ref" ? [String(inner)] : referencesIn(inner)));
}

describe("the OpenAPI document", () => {
  test("has every route of the table under its operation's name", () => {
    for (const route of all) {
      expect(document.paths[route.path]?.[route.method.toLowerCase()]).toMatchObject({ operationId: route.id });
    }
  });

  test("lists for every operation all answers of its route and the shared ones", () => {
    for (const route of all) {
      const { responses } = operationOf(route) as { responses: Record<string, unknown> };
      const stated = Object.keys(responses).map(Number);
      expect(stated, route.id).toEqual(expect.arrayContaining(Object.keys(route.responses).map(Number)));
      expect(stated, route.id).toEqual(expect.arrayContaining([403, 404, 405, 408, 429, 503]));
      expect(stated.includes(401), route.id).toBe(!route.authentication.includes("none"));
      expect(stated.includes(500), route.id).toBe(route.envelope !== "otlp");
    }
  });

  test("has no dangling reference", () => {
    for (const reference of referencesIn(document)) {
      const parts = reference
        .slice(2)
        .split("/")
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
      const found = parts.reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
      expect(found, reference).toBeDefined();
    }
  });

  test("has every route under /api/v1, except those of the operator and of other systems' clients", {
    tags: ["spec:version.prefix"],
  }, () => {
    const elsewhere = all
      .filter(({ path, owner }) => !path.startsWith("/api/v1/") && owner !== "dropin")
      .map(({ path }) => path);
    expect(elsewhere).toEqual(["/health", "/health/live", "/health/ready", "/metrics", "/openapi.json"]);
  });

  test("is the same text every time it is generated", () => {
    expect(JSON.stringify(describeOpenApi(all))).toBe(JSON.stringify(document));
  });

  test("has the aliases as references to their paths", () => {
    for (const { path, routeId } of routeAliases) {
      expect(document.paths[path]).toEqual({ $ref: `#/paths/${routes[routeId].path.replaceAll("/", "~1")}` });
    }
  });

  test("offers bearer and basic credentials on the OTLP routes and those of other systems' clients only", () => {
    for (const route of all) {
      const ways = JSON.stringify(operationOf(route).security);
      const isOpen = route.envelope === "otlp" || (route.owner === "dropin" && !route.authentication.includes("none"));
      expect(ways.includes("basicKey"), route.id).toBe(isOpen);
    }
  });
});

describe("an operation", () => {
  test("has its parameters, path first, required where the request must have them", () => {
    expect(operationOf(sample, ofSample).parameters).toEqual([
      { name: "thingId", in: "path", required: true, schema: { type: "string" } },
      { name: "far", in: "query", description: "how far", schema: { type: "string" } },
      { name: "to", in: "query", required: true, schema: { type: "string" } },
    ]);
  });

  test("describes its inline schemas in place, as open objects with plain integers", () => {
    expect(operationOf(sample, ofSample).responses).toMatchObject({
      200: {
        content: {
          "application/json": {
            schema: { type: "object", properties: { at: { type: "integer" } }, required: ["at"] },
          },
        },
      },
    });
    expect(JSON.stringify(operationOf(sample, ofSample))).not.toContain("additionalProperties");
  });

  test("whose body names a workspace may be refused with either envelope of 403", () => {
    expect(ofSample.components.responses.Forbidden).toMatchObject({
      content: {
        "application/json": { schema: { anyOf: [{ $ref: expect.any(String) }, { $ref: expect.any(String) }] } },
      },
    });
  });

  test("cannot use a schema that reads differently as a request and as an answer", () => {
    const lenient = {
      ...sample,
      responses: { 200: { description: "", schema: z.object({ at: z.int().default(0) }) } },
    };
    expect(() => describeOpenApi([lenient])).toThrow(/reads differently/);
  });
});
