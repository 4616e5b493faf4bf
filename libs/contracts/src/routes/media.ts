import { z } from "zod";
import {
  mediaAddressParams,
  mediaParams,
  mediaSentences,
  registeredMedia,
  shownMedia,
  submittedMedia,
} from "../http/media.ts";
import { judged } from "../judged-body.ts";
import { limits } from "../limits.ts";
import type { Route } from "../route.ts";
import { checkedBody, dataPlane, error, forbidden, globalError, json, prefix } from "./route-parts.ts";

const ingest = { ...dataPlane, owner: "ingest", section: "completions 2.10" } as const;

const expired = { 403: forbidden("The address is not valid, or has expired; or the host is refused.") };

/** Images, audio and files that traces refer to. */
export const mediaRoutes = {
  registerMedia: {
    ...ingest,
    id: "registerMedia",
    alsoAskedBy: ["dropin"],
    method: "POST",
    path: `${prefix}/media`,
    keyRateGroup: "ingest",
    body: judged(json(submittedMedia), mediaSentences),
    responses: {
      201: { description: "Its id, and where to send the content.", schema: registeredMedia },
      ...checkedBody,
      409: error("The project has other content with the same id."),
    },
    summary: "Announce media of a trace by the hash of its content.",
  },
  uploadMedia: {
    ...ingest,
    // Clients send no key to an address that they were given: its signature says whose content it is.
    authentication: ["none"],
    id: "uploadMedia",
    method: "PUT",
    path: `${prefix}/media/uploads/{address}`,
    params: mediaAddressParams,
    body: { kind: "bytes", schema: z.never(), maxBytes: limits.mediaMaxBytes, required: true },
    responses: {
      200: { description: "The content is stored.", schema: null },
      ...expired,
      400: {
        ...checkedBody[400],
        description: "The content has another length or hash than was announced, or is not gzip.",
      },
      404: error("The media was deleted; announce it again."),
      413: globalError("The content is larger than 20 MiB."),
      415: globalError("The content encoding is not supported."),
    },
    summary: "Store the content of announced media.",
  },
  getMedia: {
    ...ingest,
    id: "getMedia",
    alsoAskedBy: ["dropin"],
    method: "GET",
    path: `${prefix}/media/{mediaId}`,
    params: mediaParams,
    responses: {
      200: { description: "The media, and an address of its content.", schema: shownMedia },
      404: error("No such media in the project."),
    },
    summary: "Read what is known of media.",
  },
  readMediaContent: {
    ...ingest,
    authentication: ["none"],
    id: "readMediaContent",
    method: "GET",
    path: `${prefix}/media/content/{address}`,
    params: mediaAddressParams,
    responses: {
      200: { description: "The content.", schema: null, contentType: "application/octet-stream" },
      ...expired,
      404: error("The media was deleted, or its content is missing."),
    },
    summary: "Read the content of media.",
  },
} as const satisfies Record<string, Route>;
