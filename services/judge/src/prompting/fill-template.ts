/**
 * Replaces each `{name}` that has a value, in a single pass: a value that itself holds `{input}` is not expanded
 * again, and an unknown `{name}` stays as it is written (completions 7.2). A value of several lines, such as a fenced
 * text, gets lines of its own, since only a whole line is a fence.
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
