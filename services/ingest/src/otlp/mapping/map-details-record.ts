import { isRecord, looselyParsed } from "../../messages/json-text.ts";
import type { FragmentFacts } from "../../model/incoming-fragment.ts";
import { type LogContent, type LogFacts, optional } from "./log-content.ts";
import { mapSpan } from "./map-span.ts";

/**
 * `gen_ai.client.inference.operation.details` carries attributes that the span of the call could have carried, so it
 * uses the mapping of spans; the result is merged where the span has no value (otlp 7).
 */
export function mapDetailsRecord({ log, facts: { span, scope, resource } }: LogFacts): LogContent {
  const mapped = mapSpan(span, scope, resource, { truncated: log.depthTruncated });
  const { otel, ...metadata } = parseRecord(mapped.metadata);
  const own = isRecord(otel) ? otel : {};
  const messages = isRecord(own.messages) ? own.messages : {};
  const input = messages.input ?? parse(mapped.input);
  const output = messages.output ?? parse(mapped.output);
  const facts: FragmentFacts = {
    ...optional("inputTokens", mapped.inputTokens),
    ...optional("outputTokens", mapped.outputTokens),
    ...optional("cacheReadTokens", mapped.cacheReadTokens),
    ...optional("cacheWriteTokens", mapped.cacheWriteTokens),
    ...optional("reasoningTokens", typeof metadata.reasoningTokens === "number" ? metadata.reasoningTokens : null),
    ...optional("model", mapped.model),
    ...optional("error", mapped.error),
    ...optional("hasInput", input === null ? null : (true as const)),
    ...optional("hasOutput", output === null ? null : (true as const)),
  };
  return {
    kind: "details",
    facts,
    body: {
      ...optional("input", input),
      ...optional("output", output),
      ...optional("error", mapped.error),
      ...optional("exception", own.exception ?? null),
      ...optional("metadata", Object.keys(metadata).length === 0 ? null : metadata),
      ...optional("attributes", isRecord(own.attributes) ? own.attributes : null),
    },
  };
}

function parse(json: string | null): unknown {
  return json === null ? null : looselyParsed(json);
}

function parseRecord(json: string | null): Record<string, unknown> {
  const value = parse(json);
  return isRecord(value) ? value : {};
}
