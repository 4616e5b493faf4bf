import { accountOriginHeader, type langfuseItemMedia, limits, routes, shownMedia } from "@touchstone/contracts";
import { type Call, isAppError, isJsonObject, membersOf, memberText, objectText } from "@touchstone/service-kit";
import type { z } from "zod";
import type { Owner } from "../owner.ts";

type ItemMedia = z.input<typeof langfuseItemMedia>;
type Medium = ItemMedia["media"];

const fields = ["input", "expectedOutput", "metadata"] as const;
const referenceText = /^@@@langfuseMedia:type=[^|@]*\|id=([\w-]{22})\|source=\w+@@@$/;

/** Media that are asked for at a time. */
const askedAtOnce = 8;

interface FoundReference extends Omit<ItemMedia, "media"> {
  mediaId: string;
}

/**
 * Items as the owner answers them, each with the media that its texts refer to: clients replace the references by them. Of media that
 * are not stored, and beyond the first `peerItemMediaMax` of an answer, only the reference is there.
 */
export async function withMedia(itemTexts: readonly string[], ingest: Owner, call: Call): Promise<string[]> {
  const references = itemTexts.map(findReferences);
  const ids = [...new Set(references.flat().map(({ mediaId }) => mediaId))].slice(0, limits.peerItemMediaMax);
  const media = new Map<string, Medium>();
  for (let from = 0; from < ids.length; from += askedAtOnce) {
    const some = ids.slice(from, from + askedAtOnce);
    const found = await Promise.all(some.map((id) => readMedium(id, ingest, call)));
    for (const medium of found) if (medium !== null) media.set(medium.mediaId, medium);
  }
  return itemTexts.map((text, index) => {
    const shown: ItemMedia[] = (references[index] ?? []).flatMap(({ mediaId, ...reference }) => {
      const medium = media.get(mediaId);
      return medium === undefined ? [] : [{ ...reference, media: medium }];
    });
    if (shown.length === 0) return text;
    const others = membersOf(text).filter(({ name }) => name !== "mediaReferences");
    return objectText([...others, { name: "mediaReferences", valueText: JSON.stringify(shown) }]);
  });
}

/** Null: it is not known, or its content is missing. */
async function readMedium(mediaId: string, ingest: Owner, call: Call): Promise<Medium | null> {
  try {
    const text = await ingest.ask(routes.getMedia, call, { params: { mediaId } });
    const { id, contentType, contentLength, url, urlExpiry } = shownMedia.parse(JSON.parse(text));
    if (url === null || urlExpiry === null) return null;
    return { mediaId: id, contentType, contentLength, url: absolute(call, url), urlExpiry };
  } catch (thrown) {
    if (isAppError(thrown) && thrown.code === "not_found") return null;
    throw thrown;
  }
}

/** Texts that are a reference and nothing else, with their place. */
function findReferences(itemText: string): FoundReference[] {
  if (!itemText.includes("@@@langfuseMedia:")) return [];
  const found: FoundReference[] = [];
  for (const field of fields) {
    const text = memberText(itemText, field);
    if (text?.includes("@@@langfuseMedia:")) collect(JSON.parse(text), "$", field, found);
  }
  return found;
}

function collect(value: unknown, jsonPath: string, field: FoundReference["field"], found: FoundReference[]): void {
  if (typeof value === "string") {
    const mediaId = referenceText.exec(value)?.[1];
    if (mediaId !== undefined) found.push({ field, referenceString: value, jsonPath, mediaId });
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) collect(element, `${jsonPath}[${index}]`, field, found);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      // The client's paths have no way to write such a name.
      if (!name.includes("']")) collect(member, `${jsonPath}['${name}']`, field, found);
    }
  }
}

/** Clients take nothing else. Ingest, asked by a service, answers an address without its origin. */
export function absolute({ headers }: Call, address: string): string {
  const origin = headers[accountOriginHeader];
  return `${typeof origin === "string" ? origin : ""}${address}`;
}
