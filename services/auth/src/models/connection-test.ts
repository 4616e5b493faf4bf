import { OutboundError, type OutboundFetch } from "@touchstone/service-kit";

/** An endpoint to test. */
export interface TestedConnection {
  baseUrl: string;
  modelId: string;
  apiKey: string | null;
}

export interface ConnectionReport {
  live: boolean;
  /** Why the test failed. */
  error?: string;
  /** Models that the endpoint lists, at most 200. */
  availableModelIds?: string[];
}

/** completions 11.1: for all calls of one test together. */
const testWithinMs = 8_000;
const listedMax = 200;
const idMaxChars = 200;
/** Statuses of an endpoint without a list of models. */
const withoutList = [404, 405, 501];

/**
 * Tests an OpenAI-compatible endpoint: its list of models must have this one or, if it has no list, it must answer a
 * one-word prompt. Never rejects; of the endpoint's answers only model ids are returned.
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

/** Null if it is not a list. */
function readIds(body: unknown): string[] | null {
  const data = typeof body === "object" && body !== null ? (body as { data?: unknown }).data : undefined;
  if (!Array.isArray(data)) return null;
  const ids = data.map((one: unknown) => (one as { id?: unknown } | null)?.id);
  return ids.filter((id): id is string => typeof id === "string" && id.length <= idMaxChars);
}
