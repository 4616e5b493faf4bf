import { Failure } from "../surroundings.ts";
import { itemsOf, membersOf } from "./raw-json.ts";

/** A row of Langfuse. Values stay as they are spelled. */
export class Row {
  readonly #members: ReadonlyMap<string, string>;

  /** `text` is JSON. Names are those of the API; the export files have them with underscores. */
  constructor(text: string) {
    const members = [...membersOf(text)];
    this.#members = new Map(members.map(([name, value]) => [camelCase(name), value]));
  }

  /** The JSON text of a member. Undefined: it is not there, or null. */
  raw(member: string): string | undefined {
    const text = this.#members.get(member);
    return text === "null" ? undefined : text;
  }

  /** Undefined: it is not there, or null. */
  value(member: string): unknown {
    const text = this.raw(member);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** A text, or a number as it is spelled. Null: it is not there, or empty. */
  text(member: string): string | null {
    const text = this.raw(member);
    if (text === undefined || text === '""') return null;
    return text.startsWith('"') ? (JSON.parse(text) as string) : text;
  }

  /** A time in ISO 8601. The export files write it without a zone, in UTC. Null: it is not there. */
  time(member: string): string | null {
    const text = this.text(member);
    return text !== null && /^\d{4}-\d\d-\d\d[ T][\d:.]+$/.test(text) ? `${text.replace(" ", "T")}Z` : text;
  }

  id(): string {
    const id = this.text("id");
    if (id === null) throw new Failure("Langfuse answered a row without an id.");
    return id;
  }

  members(): Iterable<[string, string]> {
    return this.#members;
  }

  /** The JSON texts of some members; undefined where one is not there, or null. */
  take(members: readonly string[]): Record<string, string | undefined> {
    return Object.fromEntries(members.map((member) => [member, this.raw(member)]));
  }

  /** The same row with other members. */
  with(changed: Readonly<Record<string, string | undefined>>): Row {
    const row = new Row("{}");
    const members = row.#members as Map<string, string>;
    for (const [name, text] of this.#members) members.set(name, text);
    for (const [name, text] of Object.entries(changed)) if (text !== undefined) members.set(name, text);
    return row;
  }
}

/** The rows of an answer `{ data, meta }`. */
export const rowsOf = (answer: string): Row[] =>
  itemsOf(membersOf(answer).get("data") ?? "[]").map((text) => new Row(text));

/** A member of `meta` of an answer; undefined if it is not there. */
export const metaOf = (answer: string, member: string): unknown =>
  new Row(membersOf(answer).get("meta") ?? "{}").value(member);

/** A name of an export file as the API has it. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
