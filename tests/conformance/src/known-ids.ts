import type { TestedSystem } from "./system.ts";

/** Ids of things that are there, and values that mean something, by the name of the parameter or property that takes them. */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

/** Makes one of everything the operations ask for, so that they have something to answer. */
export async function makeKnownIds(system: TestedSystem): Promise<KnownIds> {
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${system.url}/api/v1${path}`, {
      method: "POST",
      headers: { "x-api-key": system.apiKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const sessionId = `conformance-${crypto.randomUUID()}`;
  const trace = await post("/ingest/traces", { name: "conformance", session_id: sessionId, input: "a", output: "b" });
  const dataset = await post("/custom-agent-evaluations/datasets", {
    name: "conformance",
    rougeScore: { enabled: true },
    questions: [{ main_question: { query: "a", expectedResults: "b" } }],
  });
  const runs = await Promise.all(
    [1, 2, 3].map(() => post("/custom-agent-evaluations/runs", { datasetId: dataset._id })),
  );
  return {
    traceId: [String(trace.trace_id)],
    cursor: [String(trace.trace_id)],
    agentId: [String(trace.reference_agent_id)],
    agent_id: [String(trace.reference_agent_id)],
    workspaceId: ["local"],
    sessionId: [sessionId],
    // A deletion refuses what it does not understand; this day has no traces.
    from: ["2020-01-01T00:00:00Z"],
    to: ["2020-01-02"],
    source: ["production", "eval"],
    datasetId: [String(dataset._id)],
    modelId: ["gpt-4o-mini", "gemini-2.5-pro", "gemini-2.5-flash"],
    runId: runs.map(({ runId }) => String(runId)),
  };
}
