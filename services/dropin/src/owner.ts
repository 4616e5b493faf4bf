import {
  deadlines,
  type ErrorCode,
  type InternalRoute,
  ingestOutcomeHeader,
  parseIngestOutcome,
  projectDeletedHeader,
  type Route,
  spentQuotaHeader,
} from "@touchstone/contracts";
import {
  AppError,
  type Call,
  type HopAnswer,
  type InternalClient,
  isJsonObject,
  projectDeleted,
} from "@touchstone/service-kit";

/** What a request to an owner carries besides the caller. */
export interface Question {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** JSON text, so that free JSON arrives as the client sent it. */
  body?: string;
}

/** A service that owns data. */
export interface Owner {
  /**
   * Asks for what the caller's request needs, in the caller's name: its project and role. Returns JSON text. A refusal of the
   * owner is thrown as one of this service's.
   */
  ask(route: Route | InternalRoute, call: Call, question?: Question): Promise<string>;
}

/** Shorter than the gateway waits for the whole answer, also when one request asks twice. */
const deadlineMs = 14_000;
/** Longer than a batch of answers is judged. */
const scoringDeadlineMs = deadlines.batchMs + 2_000;
const isScored = (route: Route | InternalRoute): boolean =>
  "deadlineMs" in route && route.deadlineMs === deadlines.gatewayScoringHopMs;

export function createOwner(client: Pick<InternalClient, "forward">): Owner {
  return {
    async ask(route, { identity, signal }, { params = {}, query = {}, body } = {}) {
      const { projectId, organizationId, userId, role, requestId } = identity;
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
      const search = new URLSearchParams(query).toString();
      const answer = await client.forward({
        method: route.method,
        path: search === "" ? path : `${path}?${search}`,
        headers: body === undefined ? {} : { "content-type": "application/json" },
        body: body === undefined ? undefined : Buffer.from(body),
        claims: { projectId, organizationId, userId, role, requestId },
        deadlineMs: isScored(route) ? scoringDeadlineMs : deadlineMs,
        signal,
      });
      const text = Buffer.from(await answer.body.arrayBuffer()).toString("utf8");
      if (answer.status >= 400) throw refusalOf(answer, text);
      return text;
    },
  };
}

const codes: Readonly<Record<number, ErrorCode>> = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  413: "body_too_large",
  415: "unsupported_media_type",
  422: "unprocessable",
  429: "rate_limited",
};

/** A failure of the owner is an outage here. */
function refusalOf({ status, headers }: HopAnswer, text: string): AppError {
  const cause = new Error(`the owner answered ${status}`);
  if (headers[projectDeletedHeader] !== undefined) return projectDeleted(cause);
  const code = kindOfFull(headers) ?? codes[status] ?? "service_unavailable";
  const retryAfter = Number(headers["retry-after"]);
  return new AppError(code, sentenceOf(text) ?? "A service could not answer; retry.", {
    cause,
    internalHeaders: pickHeaders(headers, [ingestOutcomeHeader, spentQuotaHeader]),
    ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }),
  });
}

/** Which 429 it is; null: ingest did not say so. */
function kindOfFull(headers: HopAnswer["headers"]): ErrorCode | null {
  const outcome = parseIngestOutcome(headers[ingestOutcomeHeader])?.outcome;
  return outcome === "trace_quota_spent" || outcome === "queue_full" ? outcome : null;
}

/** What the gateway counts and caches of a refusal. */
function pickHeaders(headers: HopAnswer["headers"], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}

function sentenceOf(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    const { error, message } = isJsonObject(body) ? body : {};
    const sentence = error ?? message;
    return typeof sentence === "string" ? sentence : null;
  } catch {
    return null;
  }
}
