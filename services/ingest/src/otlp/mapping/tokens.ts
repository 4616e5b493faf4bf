import { isRecord } from "../../messages/json-text.ts";
import { toNumber } from "./read-source.ts";
import type { SpanFacts } from "./span-facts.ts";

/**
 * Token counts: `input` includes tokens read from and written to the cache, `output` includes reasoning (otlp 5.3,
 * Conflict rules). Null = not reported; a reported zero counts as not reported.
 */
export interface TokenCounts {
  input: number | null;
  output: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  reasoning: number | null;
}

/** A source of a count; an inner list is a sum of the members that are present. */
type TokenSource =
  | string
  | { readonly attribute: string; readonly path: readonly string[] }
  | { readonly attribute: string; readonly keys: RegExp }
  | { readonly sum: readonly string[]; readonly scope?: string };

/** Langfuse's keys are disjoint, so totals are their sums. */
const langfuseUsage = "langfuse.observation.usage_details";
const claudeCode = "com.anthropic.claude_code";

const sources: Readonly<Record<keyof TokenCounts, readonly TokenSource[]>> = {
  input: [
    { attribute: langfuseUsage, keys: /^(?:input|prompt|cache)/ },
    "llm.token_count.prompt",
    { attribute: "langsmith.usage_metadata", path: ["input_tokens"] },
    { attribute: "mlflow.chat.tokenUsage", path: ["input_tokens"] },
    { attribute: "genkit:output", path: ["usage", "inputTokens"] },
    // Google counts the results of its own tools apart from the prompt.
    {
      attribute: "gcp.vertex.agent.llm_response",
      path: ["usage_metadata", "prompt_token_count + tool_use_prompt_token_count"],
    },
    {
      attribute: "gcp.vertex.agent.llm_response",
      path: ["usageMetadata", "promptTokenCount + toolUsePromptTokenCount"],
    },
    { scope: claudeCode, sum: ["input_tokens", "cache_read_tokens", "cache_creation_tokens"] },
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.usage.prompt_tokens",
    "ai.usage.inputTokens",
    "ai.usage.promptTokens",
    "ai.usage.tokens",
    "codex.turn.token_usage.input_tokens",
  ],
  output: [
    { attribute: langfuseUsage, keys: /^(?:output|completion)|reasoning/ },
    "llm.token_count.completion",
    { attribute: "langsmith.usage_metadata", path: ["output_tokens"] },
    { attribute: "mlflow.chat.tokenUsage", path: ["output_tokens"] },
    { attribute: "genkit:output", path: ["usage", "outputTokens"] },
    // Google's candidates exclude the thoughts; the output is the sum.
    {
      attribute: "gcp.vertex.agent.llm_response",
      path: ["usage_metadata", "candidates_token_count + thoughts_token_count"],
    },
    {
      attribute: "gcp.vertex.agent.llm_response",
      path: ["usageMetadata", "candidatesTokenCount + thoughtsTokenCount"],
    },
    { scope: claudeCode, sum: ["output_tokens"] },
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.usage.completion_tokens",
    "ai.usage.outputTokens",
    "ai.usage.completionTokens",
    "codex.turn.token_usage.output_tokens",
  ],
  cacheRead: [
    { attribute: langfuseUsage, keys: /^(?:input_cached_tokens|cache_read_input_tokens|input_cache_read)$/ },
    // The usage of OpenAI as it is, whose totals include its parts.
    { attribute: langfuseUsage, path: ["prompt_tokens_details", "cached_tokens"] },
    { attribute: langfuseUsage, path: ["input_tokens_details", "cached_tokens"] },
    "llm.token_count.prompt_details.cache_read",
    { attribute: "langsmith.usage_metadata", path: ["input_token_details", "cache_read"] },
    { attribute: "gen_ai.usage.input_token_details", path: ["cache_read"] },
    { attribute: "mlflow.chat.tokenUsage", path: ["cache_read_input_tokens"] },
    { attribute: "genkit:output", path: ["usage", "cachedContentTokens"] },
    { attribute: "gcp.vertex.agent.llm_response", path: ["usage_metadata", "cached_content_token_count"] },
    { attribute: "gcp.vertex.agent.llm_response", path: ["usageMetadata", "cachedContentTokenCount"] },
    { scope: claudeCode, sum: ["cache_read_tokens"] },
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.details.cache_read_tokens",
    "ai.usage.inputTokenDetails.cacheReadTokens",
    "ai.usage.cachedInputTokens",
    "codex.turn.token_usage.cached_input_tokens",
    { attribute: "ai.response.providerMetadata", path: ["openai", "cachedPromptTokens"] },
    { attribute: "ai.response.providerMetadata", path: ["anthropic", "cacheReadInputTokens"] },
    { attribute: "ai.response.providerMetadata", path: ["bedrock", "usage", "cacheReadInputTokens"] },
  ],
  cacheWrite: [
    {
      attribute: langfuseUsage,
      keys: /^(?:cache_creation_input_tokens|input_cache_creation(?:_5m|_1h)?)$/,
    },
    "llm.token_count.prompt_details.cache_write",
    { attribute: "langsmith.usage_metadata", path: ["input_token_details", "cache_creation"] },
    { attribute: "gen_ai.usage.input_token_details", path: ["cache_creation"] },
    { attribute: "mlflow.chat.tokenUsage", path: ["cache_creation_input_tokens"] },
    { scope: claudeCode, sum: ["cache_creation_tokens"] },
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.cache_write_input_tokens",
    {
      sum: [
        "gen_ai.usage.cache_creation.ephemeral_5m_input_tokens",
        "gen_ai.usage.cache_creation.ephemeral_1h_input_tokens",
      ],
    },
    "gen_ai.usage.details.cache_write_tokens",
    "ai.usage.inputTokenDetails.cacheWriteTokens",
    { attribute: "ai.response.providerMetadata", path: ["anthropic", "cacheCreationInputTokens"] },
    { attribute: "ai.response.providerMetadata", path: ["bedrock", "usage", "cacheWriteInputTokens"] },
  ],
  reasoning: [
    { attribute: langfuseUsage, keys: /reasoning/ },
    { attribute: langfuseUsage, path: ["completion_tokens_details", "reasoning_tokens"] },
    { attribute: langfuseUsage, path: ["output_tokens_details", "reasoning_tokens"] },
    "llm.token_count.completion_details.reasoning",
    { attribute: "langsmith.usage_metadata", path: ["output_token_details", "reasoning"] },
    { attribute: "gen_ai.usage.output_token_details", path: ["reasoning"] },
    { attribute: "genkit:output", path: ["usage", "thoughtsTokens"] },
    { attribute: "gcp.vertex.agent.llm_response", path: ["usage_metadata", "thoughts_token_count"] },
    { attribute: "gcp.vertex.agent.llm_response", path: ["usageMetadata", "thoughtsTokenCount"] },
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.reasoning_tokens",
    "gen_ai.usage.experimental.reasoning_tokens",
    "gen_ai.usage.details.reasoning_tokens",
    "gen_ai.usage.details.thoughts_tokens",
    "llm.usage.reasoning_tokens",
    "ai.usage.outputTokenDetails.reasoningTokens",
    "ai.usage.reasoningTokens",
    "codex.turn.token_usage.reasoning_output_tokens",
    { attribute: "ai.response.providerMetadata", path: ["openai", "reasoningTokens"] },
  ],
};

/** The span's own counts, each from the first source that has one. */
export function readTokens(facts: SpanFacts): TokenCounts {
  const input = readCount(facts, sources.input);
  const cacheRead = readCount(facts, sources.cacheRead);
  const cacheWrite = readCount(facts, sources.cacheWrite);
  const output = readCount(facts, sources.output);
  const reasoning = readCount(facts, sources.reasoning);
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  return {
    // More cached tokens than input tokens: this producer counts them separately.
    input: cached > (input ?? 0) ? cached + (input ?? 0) : input,
    // The same of reasoning and output.
    output: reasoning !== null && reasoning > (output ?? 0) ? reasoning + (output ?? 0) : output,
    cacheRead,
    cacheWrite,
    reasoning,
  };
}

/** True if the producer reported any usage, which only model calls have (otlp 5.2, heuristics). */
export function reportsTokens(facts: SpanFacts): boolean {
  return readCount(facts, sources.input) !== null || readCount(facts, sources.output) !== null;
}

function readCount(facts: SpanFacts, candidates: readonly TokenSource[]): number | null {
  for (const source of candidates) {
    const count = readCandidate(facts, source);
    if (count <= 0) continue;
    if (typeof source === "string") facts.consume(source);
    else if ("sum" in source) facts.consume(source.sum);
    return Math.round(count);
  }
  return null;
}

function readCandidate(facts: SpanFacts, source: TokenSource): number {
  if (typeof source === "string") return toNumber(facts.value(source)) ?? 0;
  if ("sum" in source) {
    if (source.scope !== undefined && !facts.scope.name.startsWith(source.scope)) return 0;
    return source.sum.reduce((sum, key) => sum + (toNumber(facts.value(key)) ?? 0), 0);
  }
  if (facts.value(source.attribute) === undefined) return 0;
  const object = facts.parsed(source.attribute);
  return "keys" in source ? sumOfKeys(object, source.keys) : numberAt(object, source.path);
}

function sumOfKeys(object: unknown, keys: RegExp): number {
  if (!isRecord(object)) return 0;
  let sum = 0;
  for (const [key, value] of Object.entries(object)) {
    if (keys.test(key)) sum += toNumber(value) ?? 0;
  }
  return sum;
}

/** The last name of a path may be a sum of two: `candidates + thoughts`. */
function numberAt(object: unknown, path: readonly string[]): number {
  let value = object;
  for (const name of path.slice(0, -1)) value = isRecord(value) ? value[name] : undefined;
  if (!isRecord(value)) return 0;
  const holder = value;
  return (path.at(-1) as string).split(" + ").reduce((sum, name) => sum + (toNumber(holder[name]) ?? 0), 0);
}
