import { setTimeout as sleep } from "node:timers/promises";
import { readApiError, readCode, unreachable } from "./api-error.ts";

const usualDeadlineMs = 40_000;
/** Above the gateway's own deadline for requests that judges answer, below the 300 s after which `fetch` ends any. */
const judgedDeadlineMs = 290_000;
const attemptsMax = 5;
/** How often a request is sent again whose fate is unknown. */
const repeatsMax = 1;
/** How often after a refused connection: a server that starts again takes a moment. */
const refusedMax = 2;
const firstPauseMs = 500;
const pauseMaxMs = 60_000;

/** Requests that wait for a judge or for a large body. */
const isSlow =
  /\/(runs|results|finalize|rescore|analyze|evaluate|suggest-expected|dry-run|generate-regex|import\/traces|mcp)$/;
/** Answers that go on after their headers. */
const isEndless = /\/(stream|export\/[^/]+)$/;
/** POSTs whose repetition changes nothing: their rows have keys. */
const isRepeatablePost = /\/(results|finalize|import\/traces)$/;

/**
 * Sends a request until it is answered: within a deadline, again after a 429 or 503, and again after a broken connection or
 * another 5xx if the repetition does no harm. Rejects with an ApiError unless the answer is a success.
 */
export async function send(request: Request, fetchRequest: typeof fetch): Promise<Response> {
  const path = new URL(request.url).pathname;
  let repeats = 0;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === attemptsMax;
    const again = request.clone();
    let response: Response;
    try {
      response = await sendOnce(again, path, fetchRequest);
    } catch (error) {
      request.signal.throwIfAborted();
      const wasNeverSent = readCode(error) === "ECONNREFUSED";
      const mayRepeat = wasNeverSent
        ? repeats < refusedMax
        : repeats < repeatsMax && (await isRepeatable(request, path));
      if (isLast || !mayRepeat) throw unreachable(request, error);
      repeats += 1;
      await pause(attempt, null, request.signal);
      continue;
    }
    if (response.ok) return response;
    const isFailure = response.status >= 500 && response.status !== 503;
    const mayRepeat = isFailure && repeats < repeatsMax && (await isRepeatable(request, path));
    if (isLast || !maySendAgain(response, mayRepeat)) throw await readApiError(request, response);
    if (isFailure) repeats += 1;
    await response.body?.cancel();
    await pause(attempt, response.headers.get("retry-after"), request.signal);
  }
}

/** Whether a repetition changes nothing. A score without an id would be stored twice, and of a body that is not JSON nothing is known. */
async function isRepeatable(request: Request, path: string): Promise<boolean> {
  if (request.method !== "POST" || isRepeatablePost.test(path)) return true;
  if (!path.endsWith("/scores")) return false;
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null);
  return [body].flat().every((score) => typeof (score as { id?: unknown } | null)?.id === "string");
}

async function sendOnce(request: Request, path: string, fetchRequest: typeof fetch): Promise<Response> {
  const deadline = new AbortController();
  const deadlineMs = isSlow.test(path) && request.method === "POST" ? judgedDeadlineMs : usualDeadlineMs;
  const timer = setTimeout(() => deadline.abort(new DOMException("too late", "TimeoutError")), deadlineMs);
  try {
    const response = await fetchRequest(request, { signal: AbortSignal.any([request.signal, deadline.signal]) });
    if (isEndless.test(path) || !response.ok) return response;
    // The deadline covers the body as well.
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, response);
  } finally {
    clearTimeout(timer);
  }
}

/** The 429 of a spent quota has no Retry-After on most routes: a repetition does not help before midnight. */
function maySendAgain({ status, headers }: Response, mayRepeat: boolean): boolean {
  if (status === 429) return headers.has("retry-after");
  return status === 503 || mayRepeat;
}

async function pause(attempt: number, retryAfter: string | null, signal: AbortSignal): Promise<void> {
  const askedMs = Number(retryAfter ?? Number.NaN) * 1_000;
  const ownMs = firstPauseMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
  const ms = Math.min(pauseMaxMs, Number.isFinite(askedMs) ? askedMs : ownMs);
  // Its own error does not say why the signal was aborted.
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
