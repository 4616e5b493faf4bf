import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { Identity, InternalRoute, Route } from "@touchstone/contracts";
import type { AnswerRoom } from "./answer-room.ts";
import { AppError } from "./app-error.ts";
import type { BodyShare } from "./body-budget.ts";
import { inflateBody } from "./inflate-body.ts";
import { inflateStream } from "./inflate-stream.ts";
import { decodeInSlices, type JsonObject, parseBodyInSlices, readJsonObjectInSlices } from "./json.ts";
import { runInSlices } from "./run-in-slices.ts";

/** One request as a handler sees it. */
export interface Call {
  /** Verified: the caller and the project. */
  identity: Identity;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | string[] | undefined>>;
  headers: IncomingHttpHeaders;
  /** The body as received, still encoded; empty when there is none. */
  rawBody: Buffer;
  /** Members that a JSON body may have, where it is parsed as a whole; undefined: any that it can. */
  readonly namesMax: number | undefined;
  /** The body without its content encoding, at most the route's `maxBytes`. */
  body(): Promise<Buffer>;
  /** On a route that reads as it comes, instead: a stream of the body without its content encoding, at most `maxBytes` of it. */
  stream(maxBytes: number): Readable;
  /** The body parsed as JSON; `undefined` when an optional body was omitted. */
  json(): Promise<unknown>;
  /**
   * Counts memory that the handler needs besides the body, until it is done; negative bytes are released. Throws when
   * other requests leave too little.
   */
  hold(bytes: number): void;
  /**
   * Waits until there is memory for an answer of this many bytes, before its data is read; throws when that takes too
   * long. Answers that are known to be small need no call.
   */
  makeRoom(bytes: number): Promise<void>;
  /** Adds `x-touchstone-warning` to the answer: part of the request was ignored. A refusal does not have it. */
  warn(sentence: string): void;
  /** The last argument of {@link warn}. */
  readonly warning: string | null;
  /** Aborts when the caller has disconnected. */
  signal: AbortSignal;
}

interface CallOptions {
  identity: Identity;
  route: Route | InternalRoute;
  maxBytes: number;
  params: unknown;
  query: unknown;
  headers: IncomingHttpHeaders;
  /** A buffer, a stream on a route that reads as it comes, or nothing. */
  body: unknown;
  /** The memory of the body. */
  share: BodyShare;
  /** The memory of the answer. */
  room: AnswerRoom;
  /** Created when a handler reads it: most never do, and it costs as much as a handler. */
  signal: () => AbortSignal;
}

/** Wraps a request whose identity was verified. */
export function createCall(options: CallOptions): Call {
  return new ReceivedCall(options);
}

/**
 * A class, because of `signal`: V8 allocates a getter of an object literal in the old generation, and it retains the
 * whole request until the next major collection.
 */
class ReceivedCall implements Call {
  readonly identity: Identity;
  readonly params: Call["params"];
  readonly query: Call["query"];
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  readonly hold: Call["hold"];
  readonly namesMax: number | undefined;
  readonly #options: CallOptions;
  warning: string | null = null;
  #signal: AbortSignal | null = null;

  constructor(options: CallOptions) {
    this.identity = options.identity;
    this.params = options.params as Call["params"];
    this.query = options.query as Call["query"];
    this.headers = options.headers;
    this.rawBody = Buffer.isBuffer(options.body) ? options.body : noBody;
    this.hold = options.share.take;
    this.namesMax = "responses" in options.route ? options.route.body?.namesMax : undefined;
    this.#options = options;
  }

  body(): Promise<Buffer> {
    const { maxBytes, share } = this.#options;
    return inflateBody(this.rawBody, this.headers["content-encoding"], maxBytes, share.enter);
  }

  stream(maxBytes: number): Readable {
    const { body } = this.#options;
    const content = body instanceof Readable ? body : Readable.from([]);
    return inflateStream(content, this.headers["content-encoding"], maxBytes);
  }

  async json(): Promise<unknown> {
    const { route } = this.#options;
    const isOptional = "responses" in route && route.body?.required === false;
    if (isOptional && this.rawBody.length === 0) return undefined;
    requireJson(this.headers["content-type"]);
    return runInSlices(parseBodyInSlices(await this.body(), this.namesMax));
  }

  makeRoom = (bytes: number): Promise<void> => this.#options.room.make(bytes);

  warn(sentence: string): void {
    this.warning = sentence;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#options.signal();
    return this.#signal;
  }
}

const noBody = Buffer.alloc(0);

/** Routes of JSON lines accept their common content types, in UTF-8 or without a charset; anything else is 415. */
export function requireNdjson(contentType: string | undefined): void {
  if (!ndjsonTypes.includes(mediaTypeOf(contentType))) throw notTaken("application/x-ndjson", contentType);
  requireUtf8(contentType);
}

const ndjsonTypes = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/** The formats of a table's rows. */
export type RowsType = "csv" | "json" | "ndjson";

/** Routes of rows accept CSV, a JSON array or JSON lines, in UTF-8 or without a charset; anything else is 415. */
export function readRowsType(contentType: string | undefined): RowsType {
  const type = mediaTypeOf(contentType);
  const known: RowsType | null =
    type === "text/csv" ? "csv" : type === "application/json" ? "json" : ndjsonTypes.includes(type) ? "ndjson" : null;
  if (known === null) throw notTaken("text/csv, application/json or application/x-ndjson", contentType);
  requireUtf8(contentType);
  return known;
}

/** JSON routes accept `application/json`, in UTF-8 or without a charset; anything else is 415 (interface: Errors). */
export function requireJson(contentType: string | undefined): void {
  if (mediaTypeOf(contentType) !== "application/json") throw notTaken("application/json", contentType);
  requireUtf8(contentType);
}

function mediaTypeOf(contentType: string | undefined): string {
  const [type = ""] = (contentType ?? "").toLowerCase().split(";", 1);
  return type.trim();
}

function notTaken(types: string, contentType: string | undefined): AppError {
  const received = JSON.stringify((contentType ?? "none").slice(0, 100));
  return new AppError("unsupported_media_type", `Content-Type must be ${types} (received ${received}).`);
}

function requireUtf8(contentType: string | undefined): void {
  for (const parameter of (contentType ?? "").toLowerCase().split(";").slice(1)) {
    const [name, value = ""] = parameter.split("=");
    if (name?.trim() === "charset" && !["utf-8", "utf8"].includes(value.trim().replaceAll('"', ""))) {
      throw new AppError("unsupported_media_type", `unsupported charset "${value.trim().slice(0, 40)}"`);
    }
  }
}

/** Reads a JSON body as {@link readJsonObjectText} does; the event loop takes turns in between. */
export async function readJsonObject(call: Call): Promise<JsonObject> {
  return runInSlices(readJsonObjectInSlices(await readJsonBytes(call), call.namesMax));
}

/** The text of a JSON body that is still to be read, as {@link decodeJsonText} returns it. */
export async function readJsonText(call: Call): Promise<string> {
  return runInSlices(decodeInSlices(await readJsonBytes(call)));
}

/** A JSON body that is still to be read; empty if there is none. */
export async function readJsonBytes(call: Call): Promise<Buffer> {
  if (call.rawBody.length === 0) return noBody;
  requireJson(call.headers["content-type"]);
  return call.body();
}

/** The named headers that have a single value. */
export function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === "string") picked[name] = value;
  }
  return picked;
}
