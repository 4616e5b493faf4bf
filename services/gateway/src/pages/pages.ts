import { readdir } from "node:fs/promises";
import path from "node:path";
import { type FastifyStaticOptions, fastifyStatic } from "@fastify/static";
import { AppError, type Logger } from "@touchstone/service-kit";
import type { FastifyRequest } from "fastify";
import type { Pages } from "../http/edge.ts";
import { buildingPage, failedPage, type WaitingPage } from "./waiting-page.ts";

export interface PagesOptions {
  /** Of the built dashboard. */
  folder: string;
  /** Settles when the folder is whole, rejects when it could not be built; null when it must be there. */
  building: Promise<void> | null;
  logger: Logger;
}

/**
 * What a browser may do with our pages: run our scripts and no others, ask this installation and nobody else, be shown in
 * no other page. No script can make a text into code or markup.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
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

/** Forms of a file that are sent instead of it, and what is not meant for browsers. */
const neverNamed = /\.(gz|br|map)$/;

/**
 * Serves the built dashboard: a file by its name, `index.html` for every page a browser asks for, 404 for the rest. Only
 * files that were there when the build was whole have names, so that no path leads out of the folder.
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
      // Of a file that was removed meanwhile.
      app.setNotFoundHandler(() => {
        throw new AppError("route_not_found", "Not found");
      });
    },
    async answer(_route, request, reply) {
      // A folder that is there is listed in a moment; a page shall not reload for that.
      if (building === null) await opening;
      const name = nameOf(request);
      const isNavigation = name === "" || (request.headers.accept ?? "").includes("text/html");
      if (files === null) {
        if (!isNavigation) throw new AppError("service_unavailable", "The dashboard is not there yet; retry.");
        return reply.code(503).headers(waiting.headers).send(waiting.html);
      }
      const isAsset = name.startsWith("assets/");
      // An asset of a build that is gone is no page: an old tab must notice.
      const file = files.has(name) ? name : isNavigation && !isAsset ? indexFile : null;
      if (file === null) throw new AppError("route_not_found", "Not found");
      reply.header("content-security-policy", contentSecurityPolicy);
      if (isAsset) return reply.sendFile(file, { maxAge: oneYearSeconds * 1_000, immutable: true });
      if (file === indexFile) return reply.header("cache-control", "no-store").sendFile(file, unkept);
      return reply.header("cache-control", "no-cache").sendFile(file, { cacheControl: false });
    },
  };
}

/** Which files there are now is in this one. */
const unkept = { cacheControl: false, etag: false, lastModified: false };

/** The name below the folder that an address has, without the slash before it. */
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
