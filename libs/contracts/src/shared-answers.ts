import type { z } from "zod";
import { describeObject } from "./describe-schemas.ts";
import { errorBody, globalErrorBody, langfuseErrorBody, otlpErrorBody } from "./errors.ts";
import { accountErrorBody } from "./http/accounts.ts";
import type { Route } from "./route.ts";

/** An answer that a route may give without declaring it. No schema means plain text. */
export interface SharedAnswer {
  /** The component's name. */
  name: string;
  description: string;
  schemas: readonly z.ZodType[];
  headers?: readonly (keyof typeof sharedHeaders)[];
}

/** Headers of {@link SharedAnswer}s. */
export const sharedHeaders = {
  "Retry-After": { description: "Seconds to wait before the next try.", schema: { type: "integer" } },
  RateLimit: { description: "`limit=120, remaining=0, reset=17` (draft 7).", schema: { type: "string" } },
  "RateLimit-Policy": { description: "`120;w=60` (draft 7).", schema: { type: "string" } },
  Allow: { description: "The methods the path takes.", schema: { type: "string" } },
} as const;

const limited = ["Retry-After", "RateLimit", "RateLimit-Policy"] as const;

/**
 * The possible answers of a route besides its own, by status (interface: Errors). They follow from the route's
 * declaration: whether it needs a key, reads a body, stores telemetry, or is an OTLP route.
 */
export function sharedAnswersOf(route: Route): Record<string, SharedAnswer> {
  const answers = nativeAnswersOf(route);
  if (route.envelope !== "langfuse") return answers;
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      { ...answer, name: `Langfuse${answer.name}`, schemas: [langfuseErrorBody] },
    ]),
  );
}

function nativeAnswersOf(route: Route): Record<string, SharedAnswer> {
  const answers: Record<string, SharedAnswer> = {
    403: {
      name: "HostRefused",
      description: "The host name or the browser origin is not one this installation answers to.",
      schemas: [globalErrorBody],
    },
    404: { name: "RouteNotFound", description: "There is no such route.", schemas: [globalErrorBody] },
    405: {
      name: "MethodNotAllowed",
      description: "The path exists, but not with this method.",
      schemas: [globalErrorBody],
      headers: ["Allow"],
    },
    408: { name: "RequestTimeout", description: "The request did not arrive in time.", schemas: [globalErrorBody] },
    431: {
      name: "HeadTooLarge",
      description: "The address and the headers of the request have more than 16 KiB together.",
      schemas: [globalErrorBody],
    },
    ...overloadOf(route),
  };
  if (route.authentication.includes("metrics")) {
    answers[401] = { name: "MetricsTokenRefused", description: "The metrics token is missing or wrong.", schemas: [] };
  } else if (route.authentication.includes("admin")) {
    answers[401] = {
      name: "AdminTokenRefused",
      description: "The admin token is missing or wrong.",
      schemas: [errorBody],
    };
  } else if (route.authentication.includes("account")) {
    answers[401] = {
      name: "AccountRefused",
      description: "The address and password, the token or the session is not good.",
      schemas: [accountErrorBody],
    };
    answers[403] = {
      name: "AccountForbidden",
      description: "The origin is not trusted, the address is not verified, or the host name is not allowed.",
      schemas: [accountErrorBody, globalErrorBody],
    };
  } else if (!route.authentication.includes("none")) {
    answers[401] = { name: "Unauthorized", description: "The key is missing or wrong.", schemas: [errorBody] };
  }
  if (namesWorkspace(route)) {
    answers[403] = {
      name: "Forbidden",
      description: "The key does not reach what the body names, or the host name or browser origin is not allowed.",
      schemas: [errorBody, globalErrorBody],
    };
  }
  if (route.rateGroup === "none") delete answers[429];
  return answers;
}

/** 429, 500 and 503. Exporters drop an export on 500, so the OTLP routes answer 503 instead (otlp 2). */
function overloadOf(route: Route): Record<string, SharedAnswer> {
  if (route.envelope === "otlp") {
    return {
      429: {
        name: "ExportRefusedForNow",
        description: "Rate limit or full queue (redeliver the whole export), or the daily trace quota.",
        schemas: [otlpErrorBody, errorBody],
        headers: limited,
      },
      503: {
        name: "ExportNotStored",
        description: "Nothing was stored; redeliver the whole export.",
        schemas: [otlpErrorBody],
        headers: ["Retry-After"],
      },
    };
  }
  const storesTraces = route.owner === "ingest" && route.body !== undefined;
  return {
    429: storesTraces
      ? {
          name: "TraceRefusedForNow",
          description: "Rate limit, full queue, or daily trace quota; nothing was stored.",
          schemas: [errorBody, globalErrorBody],
          headers: limited,
        }
      : { name: "RateLimited", description: "Too many requests.", schemas: [globalErrorBody], headers: limited },
    500: { name: "Internal", description: "An unexpected error.", schemas: [globalErrorBody] },
    503:
      route.owner === "gateway"
        ? {
            name: "ServiceUnavailable",
            description: "A part of the system is unavailable; retry.",
            schemas: [globalErrorBody],
            headers: ["Retry-After"],
          }
        : {
            name: "Unavailable",
            description: "The store or a part of the system is unavailable; retry.",
            schemas: [errorBody, globalErrorBody],
            headers: ["Retry-After"],
          },
  };
}

/** A body may name a workspace or an agent that the key cannot access (completions 0.4). */
function namesWorkspace(route: Route): boolean {
  if (route.body?.kind !== "json") return false;
  const { properties } = describeObject(route.body.schema);
  return "workspaceId" in properties || "agent_id" in properties;
}
