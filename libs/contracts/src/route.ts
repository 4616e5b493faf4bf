import type { z } from "zod";
import type { ServiceName } from "./bus/define.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * How one may authenticate. `key` = `x-api-key`; `authorization` = the key as Bearer or Basic credential, on the OTLP
 * routes and those of other systems' clients; `session` = the session cookie; `account` = of the sign-in family, which is there where accounts are
 * enabled and judges the cookie itself; `none` = no authentication; `metrics` = the optional metrics token; `admin` =
 * the admin token.
 */
export type Authentication = "key" | "authorization" | "session" | "account" | "none" | "metrics" | "admin";

/** `credential` and `dataPlane` count requests per client address (interface: Limits); `none` is not limited. */
export type RateGroup = "credential" | "dataPlane" | "none";

/** Counted per client address in addition to the rate group (completions 1.3). */
export type AddressRateGroup = "projectDeletion";

/**
 * The bodies of errors (interface: Errors): `otlp` on the OTLP routes, `langfuse` where the clients of Langfuse read
 * them.
 */
export type RouteEnvelope = "standard" | "otlp" | "langfuse";

/** The limits per key of interface: Limits, off by default. */
export type KeyRateGroup = "ingest" | "ci" | "evaluation";

/**
 * The body of a route: JSON text, an OTLP export in either encoding, JSON lines, rows of a table, which come as CSV, as a
 * JSON array or as JSON lines, or bytes of any type. `maxBytes` holds before and after inflation; `ndjson` and `bytes` are
 * read as they arrive, and for lines it holds on the wire. For lines and rows `schema` describes one, for bytes nothing.
 */
export interface BodyContract<Schema extends z.ZodType = z.ZodType> {
  kind: "json" | "otlp" | "ndjson" | "rows" | "bytes";
  schema: Schema;
  maxBytes: number;
  /** Of a JSON body that is parsed as a whole: its members, at all levels. A thread, or a route that cuts its body, takes more. */
  namesMax?: number;
  /** False when the body is optional. */
  required: boolean;
}

/** One documented answer. A null schema means the body is empty or not JSON. */
export interface ResponseContract {
  description: string;
  schema: z.ZodType | null;
  contentType?: string;
}

/**
 * One public route. The table of routes is the single source for forwarding, the OpenAPI document, the rate groups and
 * the tenant matrix. Path parameters are written `{name}`.
 */
export interface Route {
  /** The operation's name: verb-noun, the name of the file that serves it. */
  id: string;
  method: Method;
  path: string;
  /** The service that answers; the gateway forwards other services' routes unparsed. */
  owner: ServiceName;
  /** Services that ask the owner themselves, for the project of the request that they answer. */
  alsoAskedBy?: readonly ServiceName[];
  authentication: readonly Authentication[];
  /** The minimum role with which a session changes something in the project that `x-project-id` names. */
  sessionRole?: "member" | "admin";
  rateGroup: RateGroup;
  keyRateGroup?: KeyRateGroup;
  addressRateGroup?: AddressRateGroup;
  envelope: RouteEnvelope;
  params?: z.ZodType<Record<string, unknown>>;
  query?: z.ZodType<Record<string, unknown>>;
  body?: BodyContract;
  /** Documented answers besides those that every route shares (401, 403, 404 route, 405, 429, 500, 503). */
  responses: Readonly<Record<number, ResponseContract>>;
  /** How long the gateway waits for the owner: for the whole answer, or for its beginning on a `streaming` route. */
  deadlineMs: number;
  /** The answer may take long: an export, server-sent events. */
  streaming?: true;
  summary: string;
  /** The section of the specification that describes it. */
  section: string;
}

/**
 * Whether a session may call the route in the project that `x-project-id` names (completions 12.6): every read of the
 * data plane, and the changes that declare a role.
 */
export function opensNamedProject({ method, rateGroup, authentication, sessionRole }: Route): boolean {
  if (sessionRole !== undefined) return true;
  const isReading = method === "GET" && rateGroup === "dataPlane";
  return isReading && authentication.includes("key") && !authentication.includes("session");
}

/** A route between services; the gateway never exposes it. `askedBy` are the only issuers the owner accepts. */
export interface InternalRoute {
  id: string;
  method: Method;
  path: string;
  owner: ServiceName;
  askedBy: readonly ServiceName[];
  body: z.ZodType;
  reply: z.ZodType;
}

/** Whether the owner reads the body while it arrives, so that it may take as long as it makes progress. */
export function isReadAsItComes({ body }: Pick<Route, "body">): boolean {
  return body?.kind === "ndjson" || body?.kind === "bytes";
}
