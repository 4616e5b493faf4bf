import fc from "fast-check";
import type { JsonSchema } from "./open-api.ts";

/** The inputs of the generator. */
export interface ArbitrarySource {
  /** Named schemas, by reference. */
  schemas: Readonly<Record<string, JsonSchema>>;
  /** Existing ids, by the name of the property or parameter that takes them. */
  known: Readonly<Record<string, readonly (string | number)[]>>;
}

/** Texts that have broken JSON stores, indexes, logs and templates before. */
const nastyTexts = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\udfff\ud800",
  "\ufeff",
  "\u202e",
  "ß\u0301👩‍👩‍👧‍👦",
  "null",
  "__proto__",
  "constructor",
  "'; drop table spans; --",
  "{{context}}",
  "2026-02-30T25:61:61Z",
  "-1",
  "1e999",
  "../../etc/passwd",
  "x".repeat(5_000),
];

/** Any text, with a bias to difficult ones. */
export function anyText(lengths: fc.StringConstraints = {}): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = lengths;
  const nasty = nastyTexts.filter(({ length }) => length >= minLength && length <= maxLength);
  const plain = fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, minLength + 40) });
  return nasty.length === 0
    ? plain
    : fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: fc.constantFrom(...nasty) });
}

/** Any JSON value, with the usual depth of an agent's values. */
function anyJson(): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    { weight: 1, arbitrary: anyText() },
    { weight: 1, arbitrary: fc.constantFrom<unknown>([], {}, null, 0, -0, 2 ** 53 + 2, 1e308, [[[[[[]]]]]]) },
  );
}

/**
 * Values that fit a JSON Schema, for the keywords that the OpenAPI document uses. An unknown keyword throws, so that
 * the suite never skips one silently.
 */
export function jsonArbitrary(schema: JsonSchema, source: ArbitrarySource): fc.Arbitrary<unknown> {
  refuseUnknownKeywords(schema);
  const inner = (part: unknown): fc.Arbitrary<unknown> => jsonArbitrary(part as JsonSchema, source);
  if (typeof schema.$ref === "string") return inner(source.schemas[schema.$ref.split("/").at(-1) ?? ""]);
  if ("const" in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.map(inner));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => inner({ ...schema, type })));
  const bound = (name: string): number | undefined => schema[name] as number | undefined;
  const least = bound("exclusiveMinimum") ?? bound("minimum");
  const most = bound("maximum");
  switch (schema.type) {
    case undefined:
      return anyJson();
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "string":
      if (schema.format === "uuid") return fc.uuid();
      if (schema.format === "date-time")
        return fc.date({ noInvalidDate: true, ...datesMade }).map((date) => date.toISOString());
      if (typeof schema.pattern === "string") return fc.stringMatching(new RegExp(schema.pattern));
      return anyText({ minLength: bound("minLength") ?? 0, ...withoutUndefined({ maxLength: bound("maxLength") }) });
    case "integer":
      return fc.integer(withoutUndefined({ min: bound("minimum"), max: most }));
    case "number":
      return fc.oneof(
        fc.integer({ min: Math.ceil(least ?? 0), max: Math.floor(most ?? 100_000) }),
        fc.double({
          noNaN: true,
          noDefaultInfinity: true,
          ...withoutUndefined({ min: least, max: most }),
          minExcluded: "exclusiveMinimum" in schema,
        }),
      );
    case "array":
      return fc.array(schema.items === undefined ? anyJson() : inner(schema.items), {
        minLength: bound("minItems") ?? 0,
        maxLength: Math.min(bound("maxItems") ?? 4, (bound("minItems") ?? 0) + 4),
      });
    case "object":
      return objectArbitrary(schema, source);
    default:
      throw new Error(`No values for type ${String(schema.type)}.`);
  }
}

function objectArbitrary(schema: JsonSchema, source: ArbitrarySource): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const stated = fc.record(
    Object.fromEntries(properties.map(([name, part]) => [name, withKnown(name, jsonArbitrary(part, source), source)])),
    { requiredKeys: (schema.required ?? []) as string[] },
  );
  if (typeof schema.additionalProperties !== "object") return stated;
  const others = fc.dictionary(anyText(), jsonArbitrary(schema.additionalProperties as JsonSchema, source), {
    maxKeys: 3,
  });
  return fc.tuple(others, stated).map(([more, named]) => ({ ...more, ...(named as object) }));
}

/** Biased to existing ids: with random ones alone every answer would be 404. */
export function withKnown(
  name: string,
  otherwise: fc.Arbitrary<unknown>,
  { known }: ArbitrarySource,
): fc.Arbitrary<unknown> {
  const ids = known[name] ?? [];
  if (ids.length === 0) return otherwise;
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: otherwise });
}

const datesMade = { min: new Date("2020-01-01"), max: new Date("2026-11-20") };

const understood = new Set([
  ..."$ref const enum anyOf type properties required additionalProperties items description default".split(" "),
  ..."minLength maxLength pattern minItems maxItems minimum exclusiveMinimum maximum".split(" "),
]);

function refuseUnknownKeywords(schema: JsonSchema): void {
  // A format comes with its pattern.
  if (schema.format === "uuid" || schema.format === "date-time") return;
  const unknown = Object.keys(schema).filter((keyword) => !understood.has(keyword));
  if (unknown.length > 0) throw new Error(`The generator does not understand ${unknown.join(", ")}.`);
}

function withoutUndefined<T extends Record<string, number | undefined>>(bounds: T): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined)) as never;
}
