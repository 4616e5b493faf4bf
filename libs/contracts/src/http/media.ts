import { z } from "zod";
import { limits } from "../limits.ts";
import { storable } from "./texts.ts";

const contentType = z
  .string()
  .max(limits.mediaTypeMaxChars)
  .regex(/^[\w.+-]+\/[\w.+-]+$/)
  .describe("Without parameters, such as `image/png`");
const contentLength = z.int().min(1).max(limits.mediaMaxBytes);
const sha256 = z
  .string()
  .regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/)
  .describe("Of the content, in base64");
const text = z.string().min(1).max(limits.indexedTextMaxChars).check(storable);

/** Body of `POST /media` (completions 2.10). */
export const submittedMedia = z.object({
  contentType,
  contentLength: contentLength.describe("In bytes"),
  sha256,
  traceId: text.nullish().describe("The trace that shows it, which may be stored later"),
  spanId: text.nullish(),
  datasetItemId: text.nullish().describe("Without a trace: the item of a dataset that has it, which keeps it"),
  field: text.nullish().describe("Where the span or the item has it, such as `input`, `output` or `metadata`"),
});
export type SubmittedMedia = z.infer<typeof submittedMedia>;

const idSentence = (member: string): string =>
  `${member} must be text of 1 to ${limits.indexedTextMaxChars} characters`;

/** Langfuse's clients send the same in other names. */
export const mediaSentences = {
  contentType: "contentType must be a media type without parameters, such as image/png",
  contentLength: `contentLength must be 1 to ${limits.mediaMaxBytes} bytes`,
  sha256: "sha256 must be the SHA-256 of the content in base64",
  traceId: idSentence("traceId"),
  spanId: idSentence("spanId"),
  datasetItemId: idSentence("datasetItemId"),
  field: idSentence("field"),
} as const;

/** Of the first 132 bits of the SHA-256 in base64url. */
export const mediaId = z.string().regex(/^[\w-]{22}$/);

/** 201 of `POST /media`. */
export const registeredMedia = z.object({
  id: mediaId,
  uploadUrl: z.string().nullable().describe("PUT the content there; null if the project has it already"),
  expiresAt: z.string().nullable().describe("When `uploadUrl` stops working"),
});

/** `GET /media/{mediaId}`. */
export const shownMedia = z.object({
  id: mediaId,
  contentType: z.string(),
  contentLength: z.int(),
  uploadedAt: z.string().nullable().describe("null while the content is missing"),
  url: z.string().nullable().describe("Address of the content. It needs no key. Null while the content is missing"),
  urlExpiry: z.string().nullable().describe("When `url` stops working"),
});

export const mediaParams = z.object({ mediaId: z.string() });
export const mediaAddressParams = z.object({ address: z.string().describe("Signed: take it from the answer") });
