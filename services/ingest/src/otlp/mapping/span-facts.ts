import { looselyParsed } from "../../messages/json-text.ts";
import type {
  AttributeMap,
  AttributeValue,
  ReceivedEvent,
  ReceivedResource,
  ReceivedScope,
  ReceivedSpan,
} from "../wire/received-span.ts";
import { type IndexedFamily, indexedKeys, readFamily } from "./indexed-family.ts";

/** One span event with attributes that the span could have carried; some producers send several, one field each. */
const detailsEvent = "gen_ai.client.inference.operation.details";

/**
 * The mapping's view of a span (otlp 5). A reader marks the attributes that end up in a field as consumed; the rest
 * goes to `metadata.otel.attributes`, so that nothing is lost and little is stored twice. A class, because tens of
 * thousands of these live for microseconds each.
 */
export class SpanFacts {
  readonly span: ReceivedSpan;
  readonly scope: ReceivedScope;
  readonly resource: ReceivedResource;
  /** The span has no parent here: it begins its trace, or its parent is in a process that may never report. */
  readonly isRoot: boolean;
  /** The span's attributes, and those of its inference details events under names that the span does not have. */
  readonly attributes: AttributeMap;
  readonly #consumed = new Set<string>();
  #consumedEvents: Set<ReceivedEvent> | undefined;
  #parsed: Map<string, unknown> | undefined;
  #families: Map<string, IndexedFamily | null> | undefined;
  #indexedKeys: string[] | undefined;

  constructor(span: ReceivedSpan, scope: ReceivedScope, resource: ReceivedResource, isRoot: boolean) {
    this.span = span;
    this.scope = scope;
    this.resource = resource;
    this.isRoot = isRoot;
    const details = this.events(detailsEvent);
    if (details.length === 0) this.attributes = span.attributes;
    else {
      this.attributes = new Map([...details.flatMap((event) => [...event.attributes]), ...span.attributes]);
      // Unconsumed ones are kept with the attributes.
      this.consumeEvents(details);
    }
  }

  /** An attribute with a value: neither absent nor empty text. */
  value(key: string): AttributeValue | undefined {
    const found = this.attributes.get(key);
    return found === null || found === "" ? undefined : found;
  }

  /** An attribute with non-blank text. */
  text(key: string): string | undefined {
    const found = this.attributes.get(key);
    return typeof found === "string" && found.trim() !== "" ? found : undefined;
  }

  /** True if the name of an attribute begins with `prefix`. */
  hasPrefix(prefix: string): boolean {
    for (const key of this.attributes.keys()) if (key.startsWith(prefix)) return true;
    return false;
  }

  /** An attribute with JSON text parsed (rule J); undefined when absent, empty or null. */
  parsed(key: string): unknown {
    const found = this.value(key);
    if (typeof found !== "string") return found;
    this.#parsed ??= new Map();
    if (!this.#parsed.has(key)) this.#parsed.set(key, looselyParsed(found) ?? undefined);
    return this.#parsed.get(key);
  }

  /** The indexed family `prefix.N.*`, or null. */
  family(prefix: string): IndexedFamily | null {
    this.#indexedKeys ??= indexedKeys(this.attributes);
    if (this.#indexedKeys.length === 0) return null;
    this.#families ??= new Map();
    let family = this.#families.get(prefix);
    if (family === undefined) {
      family = readFamily(this.attributes, this.#indexedKeys, prefix);
      this.#families.set(prefix, family);
    }
    return family;
  }

  /** The events of a name, in the order they were sent. */
  events(name: string): readonly ReceivedEvent[] {
    const { events } = this.span;
    return events.length === 0 ? events : events.filter((event) => event.name === name);
  }

  consume(keys: string | readonly string[]): void {
    if (typeof keys === "string") this.#consumed.add(keys);
    else for (const key of keys) this.#consumed.add(key);
  }

  isConsumed(key: string): boolean {
    return this.#consumed.has(key);
  }

  consumeEvents(events: readonly ReceivedEvent[]): void {
    this.#consumedEvents ??= new Set();
    for (const event of events) this.#consumedEvents.add(event);
  }

  isConsumedEvent(event: ReceivedEvent): boolean {
    return this.#consumedEvents?.has(event) ?? false;
  }
}
