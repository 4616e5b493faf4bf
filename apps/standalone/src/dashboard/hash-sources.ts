import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** What the dashboard is built from and by, relative to the repository. Folders count with all that is in them. */
const sources = [
  "apps/dashboard/index.html",
  "apps/dashboard/package.json",
  "apps/dashboard/public",
  "apps/dashboard/src",
  "apps/dashboard/tsconfig.json",
  "apps/dashboard/vite.config.ts",
  "pnpm-lock.yaml",
  "tools/build-dashboard.ts",
  "tsconfig.json",
];

/** SHA-256 of the dashboard's sources and of the lock file: two checkouts with the same one build the same pages. */
export async function hashSources(root: string): Promise<string> {
  const hash = createHash("sha256");
  // Every start waits for this. Reading hundreds of small files one after another takes a third of what reading them together does.
  for (const file of sources.flatMap((source) => listFiles(root, source)).sort()) {
    const text = readFileSync(path.join(root, file));
    hash.update(`${file}\0${text.length}\0`).update(text);
  }
  return hash.digest("hex");
}

function listFiles(root: string, source: string): string[] {
  if (path.extname(source) !== "") return [source];
  const entries = readdirSync(path.join(root, source), { recursive: true, withFileTypes: true });
  return (
    entries
      // Types alone change nothing that is built.
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".d.ts"))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
  );
}
