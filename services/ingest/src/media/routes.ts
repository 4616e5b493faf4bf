import {
  canonicalTraceId,
  isStorable,
  limits,
  type registeredMedia,
  routes,
  type SubmittedMedia,
  type shownMedia,
} from "@touchstone/contracts";
import {
  AppError,
  type Call,
  type Clock,
  type Handler,
  isAppError,
  Pieces,
  parseBody,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { type AnnouncedMedia, itemPrefix, type MediaStore } from "./media-store.ts";
import type { ContentReceiver } from "./receive-content.ts";
import { headersOfContent } from "./shown-content.ts";
import { type AddressedMedia, contentUrl, type SignedAddresses, uploadUrl } from "./signed-addresses.ts";

interface MediaDependencies {
  media: MediaStore;
  addresses: SignedAddresses;
  receiver: ContentReceiver;
  clock: Clock;
}

/** Media that traces refer to (completions 2.10). */
export function mediaRoutes(
  dependencies: MediaDependencies & { reads(handle: Handler): Handler; onceReady(handle: Handler): Handler },
): ServedRoute[] {
  const { reads, onceReady } = dependencies;
  return [
    { route: routes.registerMedia, handle: onceReady(registerMedia(dependencies)) },
    { route: routes.uploadMedia, handle: onceReady(ofOpenProject(uploadMedia(dependencies))) },
    { route: routes.getMedia, handle: reads(getMedia(dependencies)) },
    { route: routes.readMediaContent, handle: reads(ofOpenProject(readMediaContent(dependencies))) },
  ];
}

/** `POST /media`. */
function registerMedia({ media, addresses, clock }: MediaDependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const announced = toAnnounced(parseBody((await readJsonObject(call)).value, routes.registerMedia.body));
    const nowMs = clock.now();
    const times = { now: new Date(nowMs), dueAt: new Date(nowMs + limits.mediaUnnamedMs) };
    const stored = await media.announce(projectId, announced, times);
    if (stored === null) throw new AppError("conflict", "The project has other content with the same id.");
    const expiresAtMs = nowMs + limits.mediaUploadMs;
    const address = addresses.write({ kind: "upload", projectId, ...stored, expiresAtMs });
    const isThere = stored.uploadedAt !== null;
    const body: z.input<typeof registeredMedia> = {
      id: stored.id,
      uploadUrl: isThere ? null : uploadUrl(call, address),
      expiresAt: isThere ? null : new Date(expiresAtMs).toISOString(),
    };
    return { status: 201, body };
  };
}

/** `PUT /media/uploads/{address}`. */
function uploadMedia({ media, addresses, receiver, clock }: MediaDependencies): Handler {
  return async (call) => {
    const { projectId, id, contentLength } = requireAddressed(addresses, call, "upload", clock.now());
    const announced = await media.find(projectId, id);
    if (announced === null) throw new AppError("not_found", "The media was deleted; announce it again.");
    const expected = { sha256: announced.sha256, contentLength };
    const tenant = { projectId, organizationId: null };
    const isStored = await receiver.receive(call.stream(limits.mediaMaxBytes), expected, tenant, (parts) =>
      media.storeContent(projectId, id, { parts, now: new Date(clock.now()) }),
    );
    if (!isStored) throw new AppError("not_found", "The media was deleted; announce it again.");
    return { status: 200 };
  };
}

/** `GET /media/{mediaId}`. */
function getMedia({ media, addresses, clock }: MediaDependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { mediaId = "" } = call.params;
    const found = isStorable(mediaId) ? await media.find(projectId, mediaId) : null;
    if (found === null) throw new AppError("not_found", "Media not found");
    const expiresAtMs = clock.now() + limits.mediaReadMs;
    const address = addresses.write({ kind: "content", projectId, ...found, expiresAtMs });
    const isThere = found.uploadedAt !== null;
    const body: z.input<typeof shownMedia> = {
      id: found.id,
      contentType: found.contentType,
      contentLength: found.contentLength,
      uploadedAt: found.uploadedAt?.toISOString() ?? null,
      url: isThere ? contentUrl(call, address) : null,
      urlExpiry: isThere ? new Date(expiresAtMs).toISOString() : null,
    };
    return { status: 200, body };
  };
}

/** `GET /media/content/{address}`. */
function readMediaContent({ media, addresses, clock }: MediaDependencies): Handler {
  return async (call) => {
    const { projectId, ...shown } = requireAddressed(addresses, call, "content", clock.now());
    await call.makeRoom(shown.contentLength);
    const parts: Buffer[] = [];
    for await (const part of media.readContent(projectId, shown.id)) parts.push(part);
    // It may be removed between two parts.
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    if (size !== shown.contentLength) throw new AppError("not_found", "The media was deleted.");
    return { status: 200, body: new Pieces(parts), ...headersOfContent(shown) };
  };
}

/** A request without a key cannot be refused for its key: the media of a deleted project are gone. */
function ofOpenProject(handle: Handler): Handler {
  return async (call) => {
    try {
      return await handle(call);
    } catch (thrown) {
      if (!isAppError(thrown) || thrown.code !== "unauthorized") throw thrown;
      throw new AppError("not_found", "The media was deleted.", { cause: thrown });
    }
  };
}

function toAnnounced(sent: SubmittedMedia): AnnouncedMedia {
  const sha256 = Buffer.from(sent.sha256, "base64");
  const { contentType, contentLength } = sent;
  return { id: mediaIdOf(sha256), sha256, contentType, contentLength, link: toLink(sent) };
}

/** An item may be sent after its media and its dataset is with another service, so what an item has stays with the project. */
function toLink({ traceId, spanId, datasetItemId, field }: SubmittedMedia): AnnouncedMedia["link"] {
  const place = { spanId: spanId ?? "", field: field ?? "" };
  if (typeof traceId === "string") return { traceKey: canonicalTraceId(traceId), isLasting: false, ...place };
  if (typeof datasetItemId === "string")
    return { traceKey: `${itemPrefix}${datasetItemId}`, isLasting: true, ...place };
  return null;
}

/** Clients of Langfuse make the same one, and refuse any other. */
function mediaIdOf(sha256: Buffer): string {
  return sha256.toString("base64url").slice(0, 22);
}

function requireAddressed(
  addresses: SignedAddresses,
  { params }: Call,
  kind: AddressedMedia["kind"],
  nowMs: number,
): AddressedMedia {
  const media = addresses.read(params.address ?? "", { kind, nowMs });
  if (media === null) throw new AppError("forbidden", "This address is not valid, or has expired; ask for a new one.");
  return media;
}
