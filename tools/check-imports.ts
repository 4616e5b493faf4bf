/** `node tools/check-imports.ts`: every import keeps the rules of `.dependency-cruiser.cjs`, and every file was read. */
import { cruiseImports } from "./import-rules/cruise.ts";
import { repositoryRoot } from "./repository-files.ts";

const { violations, unread, modulesRead } = await cruiseImports(repositoryRoot);
for (const { rule, from, to, comment } of violations) console.error(`${from} imports ${to}\n  ${rule}: ${comment}`);
if (unread.length > 0) {
  console.error(`${unread.length} files were not read, so no rule was checked for them:\n  ${unread.join("\n  ")}`);
  console.error("dependency-cruiser needs a typescript below 7; tools/package.json pins one.");
}
if (violations.length > 0 || unread.length > 0) process.exitCode = 1;
else console.log(`${modulesRead} modules keep the import rules.`);
