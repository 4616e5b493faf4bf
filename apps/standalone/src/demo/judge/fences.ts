/** The texts between the fences of a prompt, by label, in order. */
export function readFences(prompt: string): Map<string, string> {
  const texts = new Map<string, string>();
  const fence = /\[\[begin ([a-z0-9 ]+) ([0-9a-f]{32})\]\]\n([\s\S]*?)\n\[\[end \1 \2\]\]/g;
  for (const [, label = "", , text = ""] of prompt.matchAll(fence)) texts.set(label, text);
  return texts;
}
