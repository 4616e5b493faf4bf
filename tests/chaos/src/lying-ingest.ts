/**
 * A loader for a test: `node --import .../lying-ingest.ts services/ingest/src/main.ts` is ingest with the group commit of
 * lying-group-commit.ts. Production code has no switch for it.
 */
import { registerHooks } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

export const honestGroupCommit = path.resolve(
  import.meta.dirname,
  "../../../services/ingest/src/recording/group-commit.ts",
);

const honestUrl = pathToFileURL(honestGroupCommit).href;
const lyingUrl = pathToFileURL(path.join(import.meta.dirname, "lying-group-commit.ts")).href;

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    return resolved.url === honestUrl && context.parentURL !== lyingUrl ? { ...resolved, url: lyingUrl } : resolved;
  },
});
