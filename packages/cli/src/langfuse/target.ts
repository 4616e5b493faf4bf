import { ApiError, type Touchstone } from "@touchstone/sdk";
import { Failure } from "../surroundings.ts";
import type { Event } from "./events.ts";
import type { Refusal } from "./journal.ts";

/** Events of one request, and their bytes: the API takes 10 MiB. */
const eventsMax = 500;
const bytesMax = 3 * 1024 * 1024;

/** What the API says about something it cannot store; nothing else is stored for it either. */
export class Refused extends Error {}

const refusals: ReadonlySet<number | null> = new Set([400, 404, 409, 413, 422]);

/** The paths of Langfuse's clients at Touchstone, which know what becomes of what Langfuse has. */
export class Target {
  readonly #client: Touchstone;
  readonly #signal: AbortSignal;

  constructor(client: Touchstone, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  get url(): string {
    return this.#client.url;
  }

  /** The JSON text of an answer. Throws Refused for what cannot be stored. `body` is JSON. */
  async post(path: string, body: string): Promise<string> {
    return this.#send("POST", path, body);
  }

  /** As {@link post}, for what changes a part. */
  async patch(path: string, body: string): Promise<string> {
    return this.#send("PATCH", path, body);
  }

  /** Null: 404. */
  async find(path: string): Promise<string | null> {
    try {
      return await this.#ask(path, {});
    } catch (error) {
      if (error instanceof Refused && (error.cause as ApiError).status === 404) return null;
      throw error;
    }
  }

  async upload(path: string, content: Buffer<ArrayBuffer>): Promise<void> {
    await this.#client.request(path, { method: "PUT", body: content, signal: this.#signal });
  }

  /** Stores events, and returns those that are refused. */
  async storeEvents(events: readonly Event[]): Promise<Refusal[]> {
    const refused: Refusal[] = [];
    for (const batch of split(events)) refused.push(...(await this.#storeBatch(batch)));
    return refused;
  }

  async #storeBatch(batch: readonly Event[]): Promise<Refusal[]> {
    try {
      const answer = await this.post("/ingestion", `{"batch":[${batch.map(({ text }) => text).join(",")}]}`);
      const { errors } = JSON.parse(answer) as { errors: { id: string; message: string }[] };
      const messages = new Map(errors.map(({ id, message }) => [id, message]));
      return batch.flatMap((event) => {
        const message = messages.get(event.id);
        return message === undefined ? [] : [refusalOf(event, message)];
      });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const [only, ...more] = batch;
      if (more.length === 0) return only === undefined ? [] : [refusalOf(only, error.message)];
      const half = Math.ceil(batch.length / 2);
      return [...(await this.#storeBatch(batch.slice(0, half))), ...(await this.#storeBatch(batch.slice(half)))];
    }
  }

  #send(method: string, path: string, body: string): Promise<string> {
    return this.#ask(path, { method, body, headers: { "content-type": "application/json" } });
  }

  async #ask(path: string, init: RequestInit): Promise<string> {
    try {
      const response = await this.#client.request(`/api/public${path}`, { ...init, signal: this.#signal });
      return await response.text();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 401) throw error;
      if (refusals.has(error.status)) throw new Refused(sentenceOf(error), { cause: error });
      const answered = error.status === null ? "" : ` (${error.status})`;
      throw new Failure(`${sentenceOf(error)}${answered} Run the same command again to go on.`, { cause: error });
    }
  }
}

/** The envelope of these paths has the sentence in `message`. */
function sentenceOf({ body, message }: ApiError): string {
  try {
    const said = (JSON.parse(body) as { message?: unknown } | null)?.message;
    return typeof said === "string" ? said : message;
  } catch {
    return message;
  }
}

const refusalOf = ({ held }: Event, message: string): Refusal => ({ kind: held.kind, id: held.id, message });

function* split(events: readonly Event[]): Generator<Event[]> {
  let batch: Event[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(event.text);
    if (batch.length > 0 && (batch.length === eventsMax || bytes + size > bytesMax)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(event);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
