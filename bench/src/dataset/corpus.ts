import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Random } from "./random.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

/** One text in twenty is of this kind, for users who do not write English. */
const nonAscii = [
  "Die Größe der Prüfung überrascht: über siebzig Anfragen, und keine wurde gekürzt.",
  "Le modèle a déjà répondu à la même question à propos de la météo de l'été.",
  "エージェントは天気を調べてから、短い答えを返しました。",
  "这个代理先查询数据库,然后给出了一个简短的回答。",
  "Агент спросил погоду и ответил одним предложением.",
  "🌦️ Přeháňky, večer už nic – žádný déšť až do neděle.",
];

/** Words of a known frequency; see {@link createCorpus}. */
export const markers = {
  /** In every fourth root, and nowhere else. */
  common: "kestrel",
  /** In nearly every text: the corpus is English prose. */
  phrase: "of the",
  /** It contains no trigram. */
  short: "he",
};

/** Prose for payloads: sentences of this repository's own pages, in random order. */
export async function createCorpus(random: Random): Promise<(bytes: number) => string> {
  const sentences = (await readPages())
    .join("\n")
    .split(/(?<=[.:])\s+|\n+/)
    .map((sentence) => sentence.replaceAll(/[`|#*]/g, "").trim())
    .filter((sentence) => sentence.length > 40 && !sentence.toLowerCase().includes(markers.common));
  return (bytes) => {
    const source = random.below(20) === 0 ? nonAscii : sentences;
    let text = "The state of the request: ";
    while (text.length < bytes) text += `${source[random.below(source.length)]} `;
    return text.slice(0, Math.max(bytes, 40));
  };
}

async function readPages(): Promise<string[]> {
  const decisions = path.join(repository, "docs", "decisions");
  const names = (await readdir(decisions)).filter((name) => name.endsWith(".md")).sort();
  const pages = ["ARCHITECTURE.md", "CONTRIBUTING.md", ...names.map((name) => path.join("docs", "decisions", name))];
  return Promise.all(pages.map((page) => readFile(path.join(repository, page), "utf8")));
}
