import { isMedia } from "./media-references.ts";
import { isRecord, type Part, parsedText } from "./message.ts";

/** One part of a message of any dialect: OpenAI, Anthropic, Gemini, OpenTelemetry's GenAI, AI SDK. */
export function readPart(value: unknown): Part {
  if (typeof value === "string") return { kind: "text", text: value };
  if (!isRecord(value)) return { kind: "json", value };
  return readText(value) ?? readImage(value) ?? readToolCall(value) ?? readToolResult(value) ?? { kind: "json", value };
}

const textTypes = new Set(["text", "input_text", "output_text", "refusal"]);
const reasoningTypes = new Set(["reasoning", "thinking", "redacted_thinking"]);

function readText(value: Record<string, unknown>): Part | null {
  const { type } = value;
  const isTyped = typeof type === "string";
  if (isTyped && reasoningTypes.has(type)) return { kind: "reasoning", text: reasoningText(value) };
  if (isTyped && !textTypes.has(type)) return null;
  const text = [value.text, value.content, value.refusal].find((one) => typeof one === "string");
  if (typeof text !== "string" || (!isTyped && value.text === undefined)) return null;
  return value.thought === true ? { kind: "reasoning", text } : { kind: "text", text };
}

function reasoningText(value: Record<string, unknown>): string {
  const text = [value.thinking, value.reasoning, value.text, value.content].find((one) => typeof one === "string");
  if (typeof text === "string") return text;
  if (!Array.isArray(value.summary)) return "(not shown by the provider)";
  return value.summary.map((item) => (isRecord(item) && typeof item.text === "string" ? item.text : "")).join("\n");
}

/** Images that a browser decodes without running anything, and of a size that a page can display. */
const shownImage = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,/i;
const imageCharactersMost = 8_000_000;

function image(url: string, description: string): Part {
  if (isMedia(url)) return { kind: "text", text: url };
  const isShown = shownImage.test(url) && url.length <= imageCharactersMost;
  return {
    kind: "image",
    url: isShown ? url : null,
    description: isShown ? description : `${description}, ${placeOf(url)}`,
  };
}

function placeOf(url: string): string {
  return url.startsWith("data:") ? "of a kind or size that is not shown" : `not loaded: ${url.slice(0, 200)}`;
}

function readImage(value: Record<string, unknown>): Part | null {
  const link = isRecord(value.image_url) ? value.image_url.url : value.image_url;
  if (typeof link === "string") return image(link, "image");
  const source =
    [value.source, value.inlineData, value.inline_data, value.fileData, value.file_data].find(isRecord) ?? value;
  const type = [source.media_type, source.mimeType, source.mime_type, source.mediaType].find(
    (one) => typeof one === "string",
  );
  const isImage = value.type === "image" || value.modality === "image" || String(type ?? "").startsWith("image/");
  if (!isImage) return null;
  const place = [source.url, source.uri, source.fileUri, source.file_uri].find((one) => typeof one === "string");
  if (typeof place === "string") return image(place, "image");
  const data = [source.data, source.content, source.image].find((one) => typeof one === "string");
  if (typeof data !== "string") return null;
  return image(
    /^(data|https?):/i.test(data) || isMedia(data) ? data : `data:${type ?? "image/png"};base64,${data}`,
    String(type ?? "image"),
  );
}

const callTypes = new Set(["tool_use", "tool_call", "tool-call", "function_call", "function", "server_tool_use"]);

function readToolCall(value: Record<string, unknown>): Part | null {
  const inner = [value.functionCall, value.function_call, value.function, value.tool_call].find(isRecord);
  if (inner === undefined && !(typeof value.type === "string" && callTypes.has(value.type))) return null;
  const call = inner ?? value;
  const name = [call.name, call.toolName, call.tool_name].find((one) => typeof one === "string");
  const input = call.arguments ?? call.input ?? call.args ?? {};
  return {
    kind: "call",
    id: idOf(value) ?? idOf(call),
    name: typeof name === "string" ? name : "tool",
    input: parsedText(input),
  };
}

const resultTypes = new Set([
  "tool_result",
  "tool_call_response",
  "tool-result",
  "function_call_output",
  "web_search_tool_result",
]);

function readToolResult(value: Record<string, unknown>): Part | null {
  const inner = [value.functionResponse, value.function_response].find(isRecord);
  if (inner === undefined && !(typeof value.type === "string" && resultTypes.has(value.type))) return null;
  const result = inner ?? value;
  const name = [result.name, result.toolName, result.tool_name].find((one) => typeof one === "string");
  const said = result.response ?? result.result ?? result.output ?? result.content ?? null;
  const isFailed = result.is_error === true || result.isError === true;
  const output = parsedText(plainContent(said));
  return {
    kind: "result",
    id: idOf(result),
    name: typeof name === "string" ? name : null,
    output: isFailed ? null : output,
    error: isFailed ? (typeof output === "string" ? output : JSON.stringify(output)) : null,
    latencyMs: null,
  };
}

/** A list of text parts and `{type: "text", value}` are read as plain text. */
function plainContent(said: unknown): unknown {
  if (isRecord(said) && (said.type === "text" || said.type === "json") && "value" in said) return said.value;
  if (!Array.isArray(said) || said.length === 0) return said;
  const texts = said.map((part) => (isRecord(part) && part.type === "text" ? part.text : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : said;
}

function idOf(value: Record<string, unknown>): string | null {
  const named = [value.tool_use_id, value.call_id, value.toolCallId, value.tool_call_id, value.id];
  return (named.find((one) => typeof one === "string" && one !== "") as string | undefined) ?? null;
}
