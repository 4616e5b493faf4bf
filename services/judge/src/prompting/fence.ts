import { createHmac, type KeyObject } from "node:crypto";

/** Encloses untrusted texts so that none of them can end its own enclosure or imitate another's. */
export interface Fence {
  /** 32 hex characters; the prompt announces it, and only lines that contain it are fences. */
  token: string;
  /** The enclosed text of one label. The label must be one of those the fence was made for. */
  enclose(label: string): string;
}

/**
 * A fence around the given texts by label. The token is HMAC-SHA-256(secret, texts) (completions 7.2): the author of a text
 * cannot know it, but the same case on the same installation renders the same prompt, which makes a verdict repeatable and a
 * prompt cache useful.
 */
export function createFence(secret: KeyObject, texts: ReadonlyMap<string, string>): Fence {
  let token = "";
  for (let attempt = 0; token === "" || [...texts.values()].some((text) => text.includes(token)); attempt += 1) {
    // Lengths are included, so that two different cases never have the same bytes.
    const content = [...texts].map(([label, text]) => `${label} ${text.length}\n${text}\n`).join("");
    token = createHmac("sha256", secret).update(`${attempt}\n${content}`).digest("hex").slice(0, 32);
  }
  return {
    token,
    enclose(label) {
      const text = texts.get(label);
      if (text === undefined) throw new Error(`the fence was not made for "${label}"`);
      return `[[begin ${label} ${token}]]\n${text}\n[[end ${label} ${token}]]`;
    },
  };
}

/**
 * Replaces each `{name}` that has a value, in a single pass: a value that itself contains `{input}` is not expanded again, and
 * an unknown `{name}` stays unchanged (completions 7.2). A value of several lines, such as a fenced text, is put on separate
 * lines, since only a whole line is a fence.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{([a-z]+)\}/g, (written, name: string, from: number) => {
    if (!Object.hasOwn(values, name)) return written;
    const value = values[name] as string;
    if (!value.includes("\n")) return value;
    const until = from + written.length;
    const before = from === 0 || template[from - 1] === "\n" ? "" : "\n";
    const after = until === template.length || template[until] === "\n" ? "" : "\n";
    return `${before}${value}${after}`;
  });
}
