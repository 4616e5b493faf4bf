/**
 * Writes the text of a JSON object member by member. Members that are already JSON text are spliced in, so a resource
 * shared by ten thousand spans is serialised once. Undefined and null members are left out. Names must not repeat.
 */
export class JsonObjectText {
  #text = "";

  add(name: string, value: unknown): void {
    if (value !== undefined && value !== null) this.addText(name, JSON.stringify(value));
  }

  addText(name: string, json: string | null): void {
    if (json !== null) this.#text += `${this.#text === "" ? "{" : ","}${JSON.stringify(name)}:${json}`;
  }

  /** Null if there are no members. */
  toText(): string | null {
    return this.#text === "" ? null : `${this.#text}}`;
  }
}
