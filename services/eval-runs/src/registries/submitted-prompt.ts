import { isStorable, limits } from "@touchstone/contracts";
import { AppError, isDeeperThan, isJsonObject, type JsonObject, memberText } from "@touchstone/service-kit";
import { newestLabel } from "./prompt-search-reader.ts";
import type { PublishedPrompt } from "./prompt-store.ts";

/** What is nested in an answer's list of prompts may be nested when it is sent back. */
const depthMax = limits.jsonDepthMax - 3;

/** Reads the body of a prompt to publish (completions 14). Throws `bad_request` for the first rule that is broken. */
export function readSubmittedPrompt(body: JsonObject): Omit<PublishedPrompt, "id" | "at"> {
  const { value } = body;
  return {
    name: readName(value.name),
    ...readContent(body),
    config: readConfig(body),
    description: readOptionalText(value.description, "description"),
    commitMessage: readOptionalText(value.commitMessage, "commitMessage"),
    labels: movable(readWords(value.labels, "labels", limits.promptLabelsMax) ?? []),
    tags: readWords(value.tags, "tags", limits.promptTagsMax),
  };
}

/** Labels without the one that moves by itself. */
export function movable(labels: readonly string[]): string[] {
  return labels.filter((label) => label !== newestLabel);
}

/** It is used in queries, so it contains no character that PostgreSQL rejects. */
function readName(name: unknown): string {
  if (typeof name !== "string" || name.trim() === "") throw new AppError("bad_request", "name is required");
  const most = limits.registryNameMaxChars;
  if (name.length > most || !isStorable(name)) {
    throw new AppError("bad_request", `name must be plain text of at most ${most} characters`);
  }
  return name;
}

function readOptionalText(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw new AppError("bad_request", `${name} must be a string`);
  return value;
}

function readContent({ text: body, value }: JsonObject): { text: string; messages: string | null } {
  const { type = "text", text, messages } = value;
  if (type !== "text" && type !== "chat") throw new AppError("bad_request", "type must be text or chat");
  if (type === "text") {
    if (typeof text !== "string" || text.trim() === "") throw new AppError("bad_request", "text is required");
    return { text, messages: null };
  }
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isJsonObject)) {
    throw new AppError("bad_request", "messages must be a list of objects, and not empty");
  }
  refuseDepth("messages", messages);
  const contents = messages.flatMap(({ content }) => (typeof content === "string" ? [content] : []));
  return { text: contents.join("\n\n"), messages: memberText(body, "messages") as string };
}

function readConfig({ text, value: { config } }: JsonObject): string {
  if (config === undefined || config === null) return "{}";
  refuseDepth("config", config);
  return memberText(text, "config") as string;
}

function refuseDepth(name: string, value: unknown): void {
  if (isDeeperThan(value, depthMax)) throw new AppError("bad_request", `${name} nests deeper than ${depthMax} levels`);
}

function readWords(sent: unknown, name: string, most: number): string[] | null {
  if (sent === undefined || sent === null) return null;
  const isWord = (word: unknown): boolean =>
    typeof word === "string" && word.trim() !== "" && word.length <= limits.registryNameMaxChars && isStorable(word);
  if (Array.isArray(sent) && sent.length <= most && sent.every(isWord)) return [...new Set(sent)];
  const sentence = `${name} must be a list of at most ${most} texts of at most ${limits.registryNameMaxChars} characters`;
  throw new AppError("bad_request", sentence);
}
