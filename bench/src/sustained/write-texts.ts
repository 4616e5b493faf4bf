import type { Random } from "../dataset/random.ts";

const words = 30_000;
const consonants = "b c d f g h j k l m n p r s t v w z ch sh th st tr pl gr".split(" ");
const vowels = "a e i o u ai ea io ou".split(" ");
const endings = ["", "", "", "s", "n", "r", "t", "ng", "ly", "ed"];

/**
 * Writes texts that never repeat: words of a made-up vocabulary, as frequent as those of a language (the second half as
 * often as the first, and so on), in sentences. Half of the texts are shorter than `medianChars`, one in a hundred is longer than
 * `p99Chars`.
 */
export function createTextWriter(random: Random, { medianChars = 650, p99Chars = 8_000 } = {}): () => string {
  const vocabulary = [...makeWords(random)];
  // Zipf's law: the frequency of a word is one over its rank.
  const harmonic = Math.log(words);
  const word = (): string =>
    vocabulary[Math.min(words - 1, Math.floor(Math.exp(random.next() * harmonic)) - 1)] as string;
  return () => {
    const chars = Math.max(20, Math.min(200_000, random.logNormal(medianChars, p99Chars)));
    let text = "";
    while (text.length < chars) {
      const sentence = Array.from({ length: 4 + random.below(16) }, word).join(" ");
      text += `${sentence[0]?.toUpperCase()}${sentence.slice(1)}${random.below(8) === 0 ? ` ${random.below(10_000)}` : ""}. `;
    }
    return text.trimEnd();
  };
}

function makeWords(random: Random): Set<string> {
  const made = new Set<string>();
  const pick = (from: readonly string[]): string => from[random.below(from.length)] as string;
  while (made.size < words) {
    // Frequent words are short.
    const syllables = 1 + random.below(made.size < 200 ? 1 : made.size < 3_000 ? 2 : 4);
    made.add(Array.from({ length: syllables }, () => pick(consonants) + pick(vowels)).join("") + pick(endings));
  }
  return made;
}
