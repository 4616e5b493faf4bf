import { createRandom, seededHex } from "../random.ts";
import type { TraceToSend } from "./otlp.ts";
import type { DemoSpan } from "./spans-of-trace.ts";

/** The bytes of a request matter more than its spans: an export has at most this many spans. */
const spansPerExport = 2_000;

const pages = ["catalogue", "reviews", "suppliers", "certificates", "prices", "regulation", "trails", "stock"];

/**
 * A nightly crawl of the research agent as one trace with this many spans, with depths up to 9 and some failures. It is sent in
 * several exports, as a collector would do.
 */
export function planLargeTrace(name: string, count: number, startMs: number): TraceToSend[] {
  const random = createRandom(`large ${name}`);
  const rootId = seededHex(`large ${name} root`, 16);
  const totalMs = count * 60;
  const spans: DemoSpan[] = [
    {
      id: rootId,
      parentId: null,
      name: `invoke_agent ${name}`,
      startMs: 0,
      durationMs: totalMs,
      error: null,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "research-agent",
        "gen_ai.conversation.id": name,
        "gen_ai.input.messages": message("user", `Run the ${name} and report what changed.`),
        "gen_ai.output.messages": message(
          "assistant",
          `The ${name} is done: ${count.toLocaleString("en")} steps, ${pages.length} topics, all notes are written.`,
        ),
      },
    },
  ];
  interface Open {
    id: string;
    depth: number;
    startMs: number;
    endMs: number;
  }
  // Depth first: each span is within its parent, and siblings are sequential.
  const open: Open[] = [{ id: rootId, depth: 0, startMs: totalMs * 0.001, endMs: totalMs }];
  while (spans.length < count) {
    const parent = open.at(-1);
    if (parent === undefined) break;
    const leftMs = parent.endMs - parent.startMs;
    const isTop = parent.depth === 0;
    if (!isTop && (leftMs < 4 || random.chance(0.12))) {
      open.pop();
      continue;
    }
    const isGroup = isTop || (parent.depth < 8 && leftMs > 120 && random.chance(0.35));
    const step = stepOf(random.next());
    const durationMs = isTop
      ? leftMs / Math.max(1, (count - spans.length) / 90)
      : Math.min(leftMs, random.skewed(isGroup ? leftMs / 3 : 18, 0.6));
    const id = seededHex(`large ${name} ${spans.length}`, 16);
    const error = !isGroup && random.chance(0.004) ? "fetch_page: the host refused the connection" : null;
    spans.push({
      id,
      parentId: parent.id,
      name: isGroup ? `${random.pick(pages)} batch ${spans.length}` : step.name,
      startMs: parent.startMs,
      durationMs: durationMs * 0.98,
      error,
      attributes: isGroup ? { "gen_ai.operation.name": "invoke_workflow" } : step.attributes,
    });
    if (isGroup)
      open.push({
        id,
        depth: parent.depth + 1,
        startMs: parent.startMs + durationMs * 0.01,
        endMs: parent.startMs + durationMs * 0.97,
      });
    parent.startMs += durationMs;
  }
  const about = {
    traceId: seededHex(`large ${name}`, 32),
    startMs: startMs - totalMs,
    scope: "crewai",
    service: "research-agent",
    version: "0.3.0",
  };
  return Array.from({ length: Math.ceil(spans.length / spansPerExport) }, (_, index) => ({
    ...about,
    spans: spans.slice(index * spansPerExport, (index + 1) * spansPerExport),
  }));
}

function stepOf(coin: number): { name: string; attributes: DemoSpan["attributes"] } {
  if (coin < 0.3) {
    return {
      name: "chat claude-haiku-4-5",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.response.model": "claude-haiku-4-5",
        "gen_ai.usage.input_tokens": 900 + Math.round(coin * 4_000),
        "gen_ai.usage.output_tokens": 40 + Math.round(coin * 300),
      },
    };
  }
  if (coin < 0.75) {
    return {
      name: "execute_tool fetch_page",
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "fetch_page",
        "gen_ai.tool.call.arguments": '{"depth":1}',
      },
    };
  }
  return {
    name: "retrieval notes",
    attributes: { "gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "notes of the last crawl" },
  };
}

const message = (role: string, content: string): string =>
  JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
