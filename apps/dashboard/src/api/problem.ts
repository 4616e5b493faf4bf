/** A failed call to the API, with the API's own message. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  /** The request id for the operator's logs; null without an answer. */
  readonly requestId: string | null;
  /** The wait that the API asks for; null if none. */
  readonly retryAfterSeconds: number | null;
  /** The code of a sign-in error, such as `EMAIL_NOT_VERIFIED`; null elsewhere. */
  readonly code: string | null;

  constructor(message: string, facts: ProblemFacts) {
    super(message, { cause: facts.cause });
    this.status = facts.status;
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
    this.code = facts.code ?? null;
  }
}

interface ProblemFacts {
  status: number;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  code?: string | null;
  cause?: unknown;
}

/** Reads any of the API's error envelopes: `{ error }`, `{ message }`, `{ error, details }`. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const retryAfter = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  const body = parseBody(await response.text().catch(() => ""));
  return new ApiProblem(sentenceOf(body, response.status), {
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: Number.isNaN(retryAfter) ? null : retryAfter,
    code: typeof body.code === "string" ? body.code : null,
  });
}

/** The same for a request that got no answer at all. */
export function noAnswer(cause: unknown): ApiProblem {
  return new ApiProblem("The server did not answer. It may be restarting, or the network is down.", {
    status: 0,
    cause,
  });
}

interface ErrorBody {
  error?: unknown;
  message?: unknown;
  details?: Details;
  code?: unknown;
}

function parseBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    // The answer came from a proxy. Its page is of no use here.
    return {};
  }
}

function sentenceOf({ error, message, details }: ErrorBody, status: number): string {
  const sentence = typeof error === "string" ? error : message;
  if (typeof sentence === "string") return [sentence, ...describeDetails(details)].join(" ");
  return `The server answered ${status} without saying why.`;
}

interface Details {
  fieldErrors?: Record<string, string[]>;
  formErrors?: string[];
}

function describeDetails(details: Details | undefined): string[] {
  const fields = Object.entries(details?.fieldErrors ?? {}).map(([field, errors]) => `${field}: ${errors.join(", ")}.`);
  return [...(details?.formErrors ?? []), ...fields];
}
