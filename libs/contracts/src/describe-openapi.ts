import type { z } from "zod";
import { describeObject, describeSchemas, type JsonSchema, type SchemaDescriptions } from "./describe-schemas.ts";
import { requestIdHeader } from "./identity.ts";
import {
  type Authentication,
  type BodyContract,
  opensNamedProject,
  type ResponseContract,
  type Route,
} from "./route.ts";
import { routeAliases } from "./routes.ts";
import { type SharedAnswer, sharedAnswersOf, sharedHeaders } from "./shared-answers.ts";

/** An OpenAPI 3.1 document: plain JSON. */
export interface OpenApiDocument {
  openapi: "3.1.1";
  info: Readonly<Record<string, unknown>>;
  paths: Record<string, Record<string, unknown>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, unknown>;
    headers: Readonly<Record<string, unknown>>;
    securitySchemes: Readonly<Record<string, unknown>>;
  };
}

const securitySchemes = {
  projectKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The key of one project." },
  bearerKey: { type: "http", scheme: "bearer", description: "The project key as a bearer token." },
  basicKey: { type: "http", scheme: "basic", description: "Any user name, and the project key as the password." },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "touchstone.session_token",
    description: "A signed-in user, where accounts are enabled. The header x-project-id names the project.",
  },
  metricsToken: { type: "http", scheme: "bearer", description: "Asked for where the installation sets one." },
  adminToken: { type: "apiKey", in: "header", name: "x-admin-token", description: "The operator's token." },
} as const;

const securityOf: Record<Authentication, readonly Partial<Record<keyof typeof securitySchemes, []>>[]> = {
  key: [{ projectKey: [] }],
  authorization: [{ bearerKey: [] }, { basicKey: [] }],
  session: [{ session: [] }],
  account: [{ session: [] }, {}],
  metrics: [{ metricsToken: [] }, {}],
  admin: [{ adminToken: [] }],
  none: [],
};

/**
 * The OpenAPI document of a set of routes, in their order (completions 1.1). A pure function of the contracts: the
 * golden file, the gateway's document and the conformance tests all use it.
 */
export function describeOpenApi(routes: readonly Route[]): OpenApiDocument {
  const schemas = describeSchemas(routes.flatMap(schemasOf));
  const paths: OpenApiDocument["paths"] = {};
  const responses = new Map<string, unknown>();
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeOperation(route, schemas) };
    for (const [status, shared] of Object.entries(sharedAnswersOf(route))) {
      if (!Object.hasOwn(route.responses, status)) responses.set(shared.name, describeShared(shared, schemas));
    }
  }
  for (const { path, routeId } of routeAliases) {
    const route = routes.find(({ id }) => id === routeId);
    if (route) paths[path] = { $ref: `#/paths/${route.path.replaceAll("~", "~0").replaceAll("/", "~1")}` };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Touchstone",
      version: "1",
      summary: "Traces AI agents and grades them.",
      description: `Every answer carries ${requestIdHeader}. Answers may gain fields; unknown fields of a request are ignored. HEAD is answered wherever GET is.`,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      schemas: schemas.components(),
      responses: Object.fromEntries([...responses].sort(([one], [other]) => (one < other ? -1 : 1))),
      headers: sharedHeaders,
      securitySchemes,
    },
  };
}

function schemasOf(route: Route): z.ZodType[] {
  return [
    ...(route.body ? [route.body.schema] : []),
    ...Object.values(route.responses).flatMap(({ schema }) => schema ?? []),
    ...Object.values(sharedAnswersOf(route)).flatMap(({ schemas }) => schemas),
  ];
}

function describeOperation(route: Route, schemas: SchemaDescriptions): Record<string, unknown> {
  const parameters = [...describeParameters(route, "path"), ...describeParameters(route, "query")];
  return {
    operationId: route.id,
    summary: route.summary,
    tags: [route.path.split("/").find((part) => !["", "api", "v1"].includes(part)) ?? "root"],
    security: waysOf(route).flatMap((way) => securityOf[way]),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: describeBody(route.body, schemas) }),
    responses: describeResponses(route, schemas),
  };
}

function waysOf(route: Route): readonly Authentication[] {
  const { authentication } = route;
  return opensNamedProject(route) && !authentication.includes("session")
    ? [...authentication, "session"]
    : authentication;
}

function describeParameters(route: Route, place: "path" | "query"): unknown[] {
  const group = place === "path" ? route.params : route.query;
  if (group === undefined) return [];
  const { properties, required } = describeObject(group);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    ...(place === "path" || required.includes(name) ? { required: true } : {}),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function describeBody(body: BodyContract, schemas: SchemaDescriptions): unknown {
  const schema = body.kind === "bytes" ? {} : schemas.of(body.schema);
  const json = { "application/json": { schema } };
  const content: Record<BodyContract["kind"], unknown> = {
    json,
    otlp: { "application/x-protobuf": {}, ...json, "application/protobuf": {} },
    // OpenAPI 3.1 cannot describe a sequence; the schema is of one line.
    ndjson: { "application/x-ndjson": { schema } },
    rows: {
      "application/json": { schema: { type: "array", items: schema } },
      "application/x-ndjson": { schema },
      "text/csv": { schema: { type: "string" } },
    },
    bytes: { "application/octet-stream": {} },
  };
  return { required: body.required, content: content[body.kind] };
}

function describeResponses(route: Route, schemas: SchemaDescriptions): Record<string, unknown> {
  const shared = sharedAnswersOf(route);
  const statuses = new Set([...Object.keys(route.responses), ...Object.keys(shared)]);
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const own = (route.responses as Readonly<Record<string, ResponseContract>>)[status];
      const common = shared[status];
      if (own === undefined) return [status, { $ref: `#/components/responses/${common?.name}` }];
      return [status, describeOwn(own, common, { route, isSuccess: status.startsWith("2") }, schemas)];
    }),
  );
}

/** An answer that the route declares itself. Where every route may answer the status too, either body may occur. */
function describeOwn(
  own: ResponseContract,
  shared: SharedAnswer | undefined,
  { route, isSuccess }: { route: Route; isSuccess: boolean },
  schemas: SchemaDescriptions,
): unknown {
  const contentType = own.contentType ?? "application/json";
  const answers = own.schema === null ? [] : alternatives(schemas.of(own.schema));
  const others = shared?.schemas.map((schema) => schemas.of(schema)) ?? [];
  return {
    description: own.description,
    ...(shared?.headers && { headers: referTo(shared.headers) }),
    content: {
      [contentType]:
        own.schema === null ? { schema: { type: "string" } } : { schema: oneOrAny([...answers, ...others]) },
      ...(isSuccess && route.envelope === "otlp" && { "application/x-protobuf": {} }),
    },
  };
}

function describeShared(shared: SharedAnswer, schemas: SchemaDescriptions): unknown {
  const bodies = shared.schemas.map((schema) => schemas.of(schema));
  return {
    description: shared.description,
    ...(shared.headers && { headers: referTo(shared.headers) }),
    content:
      bodies.length === 0
        ? { "text/plain": { schema: { type: "string" } } }
        : { "application/json": { schema: oneOrAny(bodies) } },
  };
}

function referTo(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The members of a union, so that unions of unions stay flat. */
function alternatives(schema: JsonSchema): JsonSchema[] {
  return Array.isArray(schema.anyOf) && Object.keys(schema).length === 1 ? schema.anyOf : [schema];
}

function oneOrAny(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return distinct.length === 1 ? (distinct[0] as JsonSchema) : { anyOf: distinct };
}
