/** An answer that is no success, or none at all. The message is the sentence of the API. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** Null when there was no answer. */
  readonly status: number | null;
  /** Find the request in the logs of the installation by it. */
  readonly requestId: string | null;
  /** The body of the answer; empty when there was none. */
  readonly body: string;

  constructor(
    message: string,
    options: { status: number | null; requestId?: string | null; body?: string; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.requestId = options.requestId ?? null;
    this.body = options.body ?? "";
  }
}

const shownChars = 500;

/** The error of an answer, whichever envelope it has. */
export async function readApiError(request: Request, response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const sentence = readSentence(text) ?? `${request.method} ${new URL(request.url).pathname} was answered`;
  const hint = response.status === 401 ? " Check TOUCHSTONE_API_KEY." : "";
  return new ApiError(`${sentence} (${response.status})${hint}`, {
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    body: text,
  });
}

/** The error of a request without an answer. */
export function unreachable(request: Request, thrown: unknown): ApiError {
  const { origin } = new URL(request.url);
  const isLate = thrown instanceof DOMException && thrown.name === "TimeoutError";
  return new ApiError(
    isLate
      ? `Touchstone at ${origin} did not answer ${request.method} ${new URL(request.url).pathname} in time.`
      : `Touchstone cannot be reached at ${origin}: ${readCode(thrown)}.`,
    { status: null, cause: thrown },
  );
}

/** The code of a broken connection, such as ECONNREFUSED; else the message. */
export function readCode(thrown: unknown): string {
  const { cause, message } = thrown as { cause?: { code?: unknown; message?: unknown }; message?: unknown };
  return String(cause?.code ?? cause?.message ?? message ?? thrown);
}

function readSentence(text: string): string | null {
  try {
    const { error, message } = JSON.parse(text) as { error?: unknown; message?: unknown };
    const said = [error, message].find((one) => typeof one === "string" && one !== "");
    return said === undefined ? null : String(said).slice(0, shownChars);
  } catch {
    return null;
  }
}
