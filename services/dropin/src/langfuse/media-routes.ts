import {
  type langfuseMedia,
  type registeredLangfuseMedia,
  registeredMedia,
  routes,
  shownMedia,
} from "@touchstone/contracts";
import {
  AppError,
  type Call,
  type Handler,
  parseBody,
  readJsonObject,
  type ServedRoute,
  spanIdOf,
  traceIdOf,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { Owner } from "../owner.ts";
import { absolute } from "./item-media.ts";

/** Media (dropin 1.7). They are Touchstone's own, whose ids are made as Langfuse's clients make them. */
export function mediaRoutes({ ingest }: { ingest: Owner }): ServedRoute[] {
  return [
    { route: routes.registerLangfuseMedia, handle: registerMedia(ingest) },
    { route: routes.reportLangfuseUpload, handle: reportUpload(ingest) },
    { route: routes.getLangfuseMedia, handle: getMedia(ingest) },
  ];
}

function registerMedia(ingest: Owner): Handler {
  return async (call) => {
    const sent = parseBody((await readJsonObject(call)).value, routes.registerLangfuseMedia.body);
    const { sha256Hash: sha256, traceId, observationId, datasetItemId, field, contentType, contentLength } = sent;
    const announced = {
      ...{ contentType, contentLength, sha256, field, datasetItemId },
      traceId: typeof traceId === "string" ? traceIdOf(traceId) : null,
      spanId: typeof observationId === "string" ? spanIdOf(observationId) : null,
    };
    const text = await ingest.ask(routes.registerMedia, call, { body: JSON.stringify(announced) });
    const { id, uploadUrl } = registeredMedia.parse(JSON.parse(text));
    const body: z.input<typeof registeredLangfuseMedia> = {
      mediaId: id,
      uploadUrl: uploadUrl === null ? null : absolute(call, uploadUrl),
    };
    return { status: 201, body };
  };
}

/** The service knows itself what it has stored; an unknown id is refused. */
function reportUpload(ingest: Owner): Handler {
  return async (call) => {
    parseBody((await readJsonObject(call)).value, routes.reportLangfuseUpload.body);
    await findMedia(ingest, call);
    return { status: 204 };
  };
}

function getMedia(ingest: Owner): Handler {
  return async (call) => {
    const { id, contentType, contentLength, uploadedAt, url, urlExpiry } = await findMedia(ingest, call);
    if (uploadedAt === null || url === null || urlExpiry === null) {
      throw new AppError("not_found", "The content of the media is missing");
    }
    const body: z.input<typeof langfuseMedia> = {
      ...{ mediaId: id, contentType, contentLength, uploadedAt, urlExpiry },
      url: absolute(call, url),
    };
    return { status: 200, body };
  };
}

async function findMedia(ingest: Owner, call: Call): Promise<z.output<typeof shownMedia>> {
  const params = { mediaId: call.params.mediaId ?? "" };
  return shownMedia.parse(JSON.parse(await ingest.ask(routes.getMedia, call, { params })));
}
