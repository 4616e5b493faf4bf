import { readFile } from "node:fs/promises";
import path from "node:path";

const repository = path.resolve(import.meta.dirname, "../../..");

/**
 * The shell commands of one section of a page of the repository, in order: the text of each of its `sh` blocks. Throws
 * for a section without any.
 */
export async function readPageCommands(page: string, heading: string): Promise<string[]> {
  const text = await readFile(path.join(repository, page), "utf8");
  const [, section = ""] = text.split(`\n${heading}\n`);
  const [own = ""] = section.split(/^##? /m);
  const blocks = [...own.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, commands = ""]) => commands);
  if (blocks.length === 0) throw new Error(`${page} has no commands below "${heading}".`);
  return blocks;
}
