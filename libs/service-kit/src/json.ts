import { AppError } from "./app-error.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of a JSON body. Bytes that are not UTF-8 are refused (400) instead of being replaced, since a replacement
 * would store something that nobody sent. A byte order mark is dropped.
 */
export function decodeJsonText(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch (cause) {
    throw new AppError("body_unreadable", "The request body is not valid UTF-8.", { cause });
  }
}

/** Parses a JSON body; unparseable text is a 400 with the parser's words. */
export function parseJsonBody(body: Uint8Array): unknown {
  const text = decodeJsonText(body);
  if (text.trim() === "") throw new AppError("body_unreadable", "The request body is empty; JSON is expected.");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("body_unreadable", cause instanceof Error ? cause.message : "The request body is not JSON.", {
      cause,
    });
  }
}

/** Whether a parsed value nests deeper than `depthMax`. Walks without recursion: the value may be a million deep. */
export function isDeeperThan(value: unknown, depthMax: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === "object" && item !== null) {
        if (depth >= depthMax) return true;
        for (const child of Object.values(item)) next.push(child);
      }
    }
    level = next;
  }
  return false;
}
