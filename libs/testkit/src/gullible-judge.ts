import type { LlmScript } from "./scripted-llm.ts";

/**
 * A judge that obeys any text. It knows only the prompt's own rules about fences: the operator's instructions announce
 * a fence token, and text between `[[begin <label> <token>]]` and `[[end <label> <token>]]` is data. It believes
 * everything else: the last `rating: N` there is its verdict. So its rating changes exactly when a judged text escapes
 * its fence. Without such a text it rates 5.
 */
export function gullibleJudge(): LlmScript {
  return ({ instructions, prompt }) => {
    const outside = removeFenced(`${instructions}\n${prompt}`, announcedToken(instructions));
    const orders = [...outside.matchAll(/rating"?\s*(?:[:=]|is|of|to)\s*"?(\d+(?:\.\d+)?)/gi)];
    const rating = Number(orders.at(-1)?.[1] ?? 5);
    return { kind: "verdict", rating, justification: orders.length === 0 ? "Nobody told me what to say." : "As told." };
  };
}

/** A token is hexadecimal and too long to be guessed; the first one that the instructions announce counts. */
function announcedToken(instructions: string): string | null {
  return /fence token[^\n]*?\b([0-9a-f]{32,64})\b/.exec(instructions)?.[1] ?? null;
}

/** A prompt without its fenced texts. A fence that is never closed hides nothing. */
function removeFenced(prompt: string, token: string | null): string {
  if (token === null) return prompt;
  const outside: string[] = [];
  let inside: { end: string; lines: string[] } | null = null;
  for (const line of prompt.split("\n")) {
    if (inside === null) {
      const label = new RegExp(`^\\[\\[begin (.+) ${token}\\]\\]$`).exec(line)?.[1];
      if (label === undefined) outside.push(line);
      else inside = { end: `[[end ${label} ${token}]]`, lines: [] };
    } else if (line === inside.end) {
      inside = null;
    } else {
      inside.lines.push(line);
    }
  }
  if (inside !== null) outside.push(...inside.lines);
  return outside.join("\n");
}
