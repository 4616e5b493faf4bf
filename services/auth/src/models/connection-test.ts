import { OutboundError, type OutboundFetch } from "@touchstone/service-kit";

/** An endpoint that is to be tried. */
export interface TestedConnection {
  baseUrl: string;
  modelId: string;
  apiKey: string | null;
}

export interface ConnectionReport {
  live: boolean;
  /** Why it is not live. */
  error?: string;
  /** What the endpoint lists, at most 200. */
  availableModelIds?: string[];
}

/** completions 11.1: all calls of one test together. */
const testWithinMs = 8_000;
const listedMax = 200;
const idMaxChars = 200;
/** An endpoint that has no list of models answers one of these. */
const withoutList = [404, 405, 501];

/**
 * Tries an OpenAI-compatible endpoint: whether its list of models has this one, or, where it has no list, whether it
 * answers one word to one word. Never rejects; of what the endpoint says nothing gets through but ids of models.
 */
export async function testConnection(fetch: OutboundFetch, connection: TestedConnection): Promise<ConnectionReport> {
  const signal = AbortSignal.timeout(testWithinMs);
  const headers = {
    accept: "application/json",
    ...(connection.apiKey !== null && { authorization: `Bearer ${connection.apiKey}` }),
  };
  try {
    const listed = await fetch(`${connection.baseUrl}/models`, { headers, signal });
    if (withoutList.includes(listed.status)) return await askOneWord(fetch, connection, { headers, signal });
    if (!listed.ok) return { live: false, error: describe(listed.status) };
    const ids = readIds(await listed.json());
    if (ids === null) return { live: false, error: "The endpoint's list of models cannot be read." };
    if (ids.includes(connection.modelId)) return { live: true, availableModelIds: ids.slice(0, listedMax) };
    const error = "The endpoint does not list this model.";
    return { live: false, error, availableModelIds: ids.slice(0, listedMax) };
  } catch (thrown) {
    if (signal.aborted) return { live: false, error: "The server did not answer in time." };
    if (thrown instanceof OutboundError) return { live: false, error: thrown.message };
    return { live: false, error: "The server's answer cannot be read." };
  }
}

async function askOneWord(
  fetch: OutboundFetch,
  { baseUrl, modelId }: TestedConnection,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
): Promise<ConnectionReport> {
  const answer = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ model: modelId, messages: [{ role: "user", content: "ping" }], max_tokens: 1 }),
    signal,
  });
  await answer.body?.cancel();
  return answer.ok ? { live: true } : { live: false, error: describe(answer.status) };
}

function describe(status: number): string {
  if (status === 401 || status === 403) return `The endpoint refused the API key (HTTP ${status}).`;
  if (status >= 300 && status < 400) return `The endpoint answered with a redirect (HTTP ${status}); none is followed.`;
  return `The endpoint answered HTTP ${status}.`;
}

/** Null when it is no list. */
function readIds(body: unknown): string[] | null {
  const data = typeof body === "object" && body !== null ? (body as { data?: unknown }).data : undefined;
  if (!Array.isArray(data)) return null;
  const ids = data.map((one: unknown) => (one as { id?: unknown } | null)?.id);
  return ids.filter((id): id is string => typeof id === "string" && id.length <= idMaxChars);
}
