import { createRandom, type Random, seededHex } from "../random.ts";
import type { PlannedTrace } from "./planned-trace.ts";

/** A span before its conversion to OTLP. Times are milliseconds after the start of the trace. */
export interface DemoSpan {
  id: string;
  parentId: string | null;
  name: string;
  startMs: number;
  durationMs: number;
  attributes: Record<string, string | number | boolean>;
  error: string | null;
}

const otelTraceId = (key: string): string => seededHex(`trace ${key}`, 32);
export const rootSpanId = (key: string): string => seededHex(`span ${key} root`, 16);

/** The spans of one run: guardrail, thinking, tools and retrieval, and the answer. The first is the root. */
export function spansOfTrace(trace: PlannedTrace): { traceId: string; spans: DemoSpan[] } {
  const { key, agent, scenario, answer, error, latencyMs } = trace;
  const random = createRandom(`spans ${key}`);
  const spans: DemoSpan[] = [];
  const add = (name: string, operation: string, startMs: number, durationMs: number, more: Partial<DemoSpan> = {}) => {
    const attributes = { "gen_ai.operation.name": operation, ...more.attributes };
    const id = seededHex(`span ${key} ${spans.length}`, 16);
    const span: DemoSpan = {
      id,
      parentId: rootSpanId(key),
      name,
      startMs,
      durationMs,
      error: null,
      ...more,
      attributes,
    };
    spans.push(span);
    return span;
  };
  add(`invoke_agent ${agent.name}`, "invoke_agent", 0, latencyMs, {
    id: rootSpanId(key),
    parentId: null,
    error,
    attributes: rootAttributes(trace),
  });

  // The shares of the run's time for its steps.
  const steps = stepsOf(trace);
  const total = steps.reduce((sum, step) => sum + step.weight, 0);
  let at = latencyMs * 0.01;
  for (const step of steps) {
    const durationMs = (latencyMs * 0.97 * step.weight) / total;
    const attributes = step.kind === "chat" ? chatAttributes(trace, step, random) : step.attributes;
    add(step.name, step.operation, at, durationMs * 0.97, { attributes, error: step.error });
    at += durationMs;
  }
  void scenario;
  void answer;
  return { traceId: otelTraceId(key), spans };
}

interface Step {
  kind: "chat" | "tool";
  name: string;
  operation: string;
  weight: number;
  error: string | null;
  attributes: Record<string, string | number | boolean>;
  /** The tool that a chat span requests; null for the answer. */
  asksFor: string | null;
}

function stepsOf(trace: PlannedTrace): Step[] {
  const { agent, scenario, answer, error, retries, model, query } = trace;
  const steps: Step[] = [];
  const chat = (asksFor: string | null, failure: string | null = null): Step => ({
    kind: "chat",
    name: `chat ${model}`,
    operation: "chat",
    weight: asksFor === null ? 3 : 2,
    error: failure,
    attributes: {},
    asksFor,
  });
  const tool = (name: string, failure: string | null): Step => ({
    kind: "tool",
    name: `execute_tool ${name}`,
    operation: "execute_tool",
    weight: failure?.startsWith("Timeout") === true ? 14 : 1,
    error: failure,
    attributes: {
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.arguments": JSON.stringify(argumentsOf(name, trace)),
      ...(failure === null && { "gen_ai.tool.call.result": JSON.stringify(resultOf(name, trace)) }),
    },
    asksFor: null,
  });
  if (agent.name === "refund-agent") {
    steps.push({
      ...tool("check_input", null),
      name: "guardrail check_input",
      operation: "guardrail",
      weight: 0.3,
      attributes: { "input.value": query, "output.value": "passed" },
    });
  }
  const lastTool = scenario.tools.at(-1);
  for (const name of scenario.tools) {
    const isLast = name === lastTool;
    const ends = error !== null && isLast;
    const failure = ends ? error : name === answer.failedTool ? `Timeout: ${name} did not answer within 20 s` : null;
    steps.push(chat(name));
    if (retries && isLast && failure === null)
      steps.push(tool(name, retryReasons[agent.name] ?? "The connection was reset"), chat(name));
    steps.push(tool(name, failure));
    if (name.startsWith("search_") && scenario.context !== undefined) steps.push(retrieval(trace));
  }
  if (error === null) steps.push(chat(null));
  return steps;
}

const retryReasons: Readonly<Record<string, string>> = {
  "sql-analyst": 'column "late" does not exist',
  "refund-agent": "payments.alder.example answered 503 Service Unavailable",
  "research-agent": "fetch_page: 403 Forbidden",
};

function retrieval({ query, scenario }: PlannedTrace): Step {
  const documents = (scenario.context ?? []).map((content, index) => ({
    id: `help/${index + 1}`,
    content,
    score: 0.91 - index * 0.07,
  }));
  return {
    kind: "tool",
    name: "retrieval help-centre",
    operation: "retrieval",
    weight: 0.6,
    error: null,
    attributes: { "gen_ai.retrieval.query.text": query, "gen_ai.retrieval.documents": JSON.stringify(documents) },
    asksFor: null,
  };
}

function argumentsOf(tool: string, { query, output }: PlannedTrace): Record<string, string> {
  const order = /A\d{6}/.exec(query)?.[0] ?? /A\d{6}/.exec(output ?? "")?.[0];
  if (tool === "run_query") return { sql: output ?? "select 1" };
  if (tool.startsWith("search_") || tool === "web_search") return { query };
  return order === undefined ? { question: query } : { order_id: order };
}

function resultOf(tool: string, { query, scenario, key }: PlannedTrace): unknown {
  const random = createRandom(`result ${key} ${tool}`);
  const order = /A\d{6}/.exec(query)?.[0] ?? "A100001";
  switch (tool) {
    case "lookup_order":
      return {
        order_id: order,
        status: random.pick(["DELIVERED", "PACKED", "RETURNED"]),
        total_usd: random.int(19, 420),
        items: random.int(1, 4),
      };
    case "check_policy":
      return { rule: "returns-2026-03", text: scenario.guideline ?? scenario.expected };
    case "track_parcel":
      return { order_id: order, state: "IN TRANSIT", last_scan_days_ago: random.int(1, 14) };
    case "issue_refund":
      return { refund_id: `RF-${order}`, state: "ACCEPTED" };
    case "run_query":
      return { rows: random.int(1, 500), duration_ms: random.int(4, 1_900) };
    case "describe_tables":
      return { tables: ["orders", "order_items", "products", "customers", "refunds", "warehouses"] };
    default:
      return { ok: true, results: random.int(1, 12) };
  }
}

function rootAttributes({ agent, query, output, sessionId, userId }: PlannedTrace): DemoSpan["attributes"] {
  return {
    "gen_ai.agent.name": agent.name,
    "gen_ai.agent.version": agent.version,
    "gen_ai.conversation.id": sessionId,
    "user.id": userId,
    "gen_ai.input.messages": messages("user", query),
    ...(output !== null && { "gen_ai.output.messages": messages("assistant", output) }),
  };
}

function chatAttributes(trace: PlannedTrace, step: Step, random: Random): DemoSpan["attributes"] {
  const { agent, model, query, output } = trace;
  const input = Math.round(random.skewed(agent.promptTokens, 0.3));
  const cached = Math.round(input * agent.cachedShare * random.next());
  const answer =
    step.asksFor === null
      ? messages("assistant", output ?? "")
      : JSON.stringify([
          {
            role: "assistant",
            parts: [
              {
                type: "tool_call",
                id: `call_${random.int(1000, 9999)}`,
                name: step.asksFor,
                arguments: argumentsOf(step.asksFor, trace),
              },
            ],
          },
        ]);
  return {
    "gen_ai.provider.name": agent.provider,
    "gen_ai.request.model": model,
    "gen_ai.response.model": model,
    "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: instructionsOf[agent.name] ?? "" }]),
    "gen_ai.input.messages": messages("user", query),
    "gen_ai.output.messages": answer,
    "gen_ai.usage.input_tokens": input,
    "gen_ai.usage.output_tokens": Math.round(random.skewed(step.asksFor === null ? 180 : 60, 0.4)),
    ...(cached > 0 && { "gen_ai.usage.cache_read.input_tokens": cached }),
    ...promptAttributes(trace),
  };
}

/** The agent's prompt in the registry; a part of the traffic already has its third version. */
function promptAttributes({ agent, query }: PlannedTrace): DemoSpan["attributes"] {
  if (agent.name !== "refund-agent") return {};
  return { "gen_ai.prompt.name": agent.name, "gen_ai.prompt.version": query.length % 3 === 0 ? "3" : "2" };
}

const instructionsOf: Readonly<Record<string, string>> = {
  "refund-agent":
    "You handle refunds of the outdoor shop Alder. Apply the policy. Confirm a refund only when issue_refund succeeded.",
  "support-agent": "You help customers of the outdoor shop Alder. Be short and friendly.",
  "docs-search": "Answer from the retrieved pages of the API documentation only.",
  "sql-analyst": "Write one PostgreSQL select statement.",
  "research-agent": "Research for the buyers of Alder. Name your sources.",
};

function messages(role: string, content: string): string {
  return JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
}
