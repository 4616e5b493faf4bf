import { readdir } from "node:fs/promises";
import path from "node:path";
import { type FastifyStaticOptions, fastifyStatic } from "@fastify/static";
import { AppError, type Logger } from "@touchstone/service-kit";
import type { FastifyRequest } from "fastify";
import type { Pages } from "../http/edge.ts";
import { buildingPage, failedPage, type WaitingPage } from "./waiting-page.ts";

export interface PagesOptions {
  /** Folder of the built dashboard. */
  folder: string;
  /** Resolves when the folder is complete, rejects if the build failed; null if the folder must exist. */
  building: Promise<void> | null;
  logger: Logger;
}

/**
 * Restrictions for browsers on the dashboard: only its own scripts, requests only to this installation, no framing. No
 * script can turn text into code or markup.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const oneYearSeconds = 365 * 24 * 60 * 60;
const indexFile = "index.html";

/** Compressed variants of a file, and files not meant for browsers. */
const neverNamed = /\.(gz|br|map)$/;

/**
 * Serves the built dashboard: a file by its name, `index.html` for every page that a browser requests, 404 otherwise.
 * Only files that existed when the build was complete have names, so that no path leads out of the folder.
 */
export function createPages({ folder, building, logger }: PagesOptions): Pages {
  let files: ReadonlySet<string> | null = null;
  let waiting: WaitingPage = buildingPage;
  const opening = open();

  async function open(): Promise<void> {
    try {
      await building;
      const found = await listFiles(folder);
      if (!found.has(indexFile)) throw new Error(`There is no ${indexFile} in ${folder}.`);
      files = found;
    } catch (thrown) {
      logger.error({ err: thrown }, "there is no dashboard to serve");
      waiting = failedPage(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  return {
    register(app) {
      const options: FastifyStaticOptions = { serve: false, root: folder, preCompressed: true, suppressWarning: true };
      app.register(fastifyStatic, options);
      // A file that was removed in the meantime.
      app.setNotFoundHandler(() => {
        throw new AppError("route_not_found", "Not found");
      });
    },
    async answer(_route, request, reply) {
      // Listing an existing folder takes a moment; a page should not have to reload for that.
      if (building === null) await opening;
      const name = nameOf(request);
      const isNavigation = name === "" || (request.headers.accept ?? "").includes("text/html");
      if (files === null) {
        if (!isNavigation) throw new AppError("service_unavailable", "The dashboard is not built yet; retry.");
        return reply.code(503).headers(waiting.headers).send(waiting.html);
      }
      const isAsset = name.startsWith("assets/");
      // A missing asset of an old build must not become a page: an old tab must notice.
      const file = files.has(name) ? name : isNavigation && !isAsset ? indexFile : null;
      if (file === null) throw new AppError("route_not_found", "Not found");
      reply.header("content-security-policy", contentSecurityPolicy);
      if (isAsset) return reply.sendFile(file, { maxAge: oneYearSeconds * 1_000, immutable: true });
      if (file === indexFile) return reply.header("cache-control", "no-store").sendFile(file, unkept);
      return reply.header("cache-control", "no-cache").sendFile(file, { cacheControl: false });
    },
  };
}

/** This page names the current files. */
const unkept = { cacheControl: false, etag: false, lastModified: false };

/** The name of an address inside the folder, without the leading slash. */
function nameOf({ params }: FastifyRequest): string {
  return (params as { "*": string })["*"];
}

async function listFiles(folder: string): Promise<Set<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && !neverNamed.test(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  return new Set(names);
}
