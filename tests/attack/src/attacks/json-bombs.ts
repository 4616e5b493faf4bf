import fc from "fast-check";
import { jsonArbitrary } from "../../../conformance/src/json-arbitrary.ts";
import { idsFor, makeKnownIds } from "../../../conformance/src/known-ids.ts";
import { type JsonSchema, type Operation, readOpenApi } from "../../../conformance/src/open-api.ts";
import type { Attack, Scene } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";
import { characterClasses, fill } from "../payloads/characters.ts";
import { join, type Packed, pack, packNumbered, packRepeated } from "../payloads/gzip-pieces.ts";

/** A JSON value of nearly the largest size that a body may have. */
interface Filling {
  name: string;
  json: Packed;
}

interface Bomb {
  operation: Operation;
  path: string;
  body: Buffer;
}

const inflatedBytes = 10 * 1024 * 1024 - 64 * 1024;
/** How many members and values the JSON of a body may have: docs/operating/limits.md. */
const namesMax = [5_000, 20_000, 50_000, 100_000];
const valuesMax = 500_000;
const bombsPerOperation = 3;
const placeholder = "the bomb goes here";

/**
 * Sends every route with a JSON body 10 KB that inflate to the largest size it accepts, in each of its members in turn.
 */
export const jsonBombs: Attack = {
  name: "json-bombs",
  does: "10 KB of gzip that inflate to 10 MB of tiny things, to POST .../datasets and every other route with a JSON body; three at once.",
  setting: "projects",
  async prepare(scene) {
    const { url, random, openTenant, clientOf, over } = scene;
    const tenant = await openTenant("JSON bombs");
    const client = clientOf(tenant);
    const { operations, schemas } = await readOpenApi();
    const known = await makeKnownIds({ url, apiKey: tenant.apiKey, adminToken: null, stop: async () => {} });
    const fillings = makeFillings(scene);
    const bombs = operations
      .filter(({ body, id }) => body?.content["application/json"]?.schema !== undefined && !id.startsWith("receive"))
      .flatMap((operation) => {
        const source = { schemas, known: idsFor(operation.id, known) };
        return Array.from({ length: bombsPerOperation }, () => makeBomb(scene, operation, source, fillings));
      });
    const datasets = bombs.filter(({ operation }) => operation.id === "createDataset");
    return () =>
      untilOver({ atOnce: 3, over }, async (number) => {
        const { operation, path, body } = number % 4 === 0 ? random.pick(datasets) : random.pick(bombs);
        await client.send({
          method: operation.method,
          route: path.slice("/api/v1".length),
          body,
          headers: { "content-encoding": "gzip" },
        });
      });
  },
};

function makeFillings({ random, scaled }: Pick<Scene, "random" | "scaled">): Filling[] {
  const bytes = scaled(inflatedBytes);
  const list = (piece: string, last: string) => join(pack("["), packRepeated(bytes, `${piece},`), pack(`${last}]`));
  const deep = (open: string, close: string) =>
    join(packRepeated(bytes / 2, open), pack("0"), packRepeated(bytes / 2, close));
  return [
    ...["{}", "[]", "null", "0", '""', '{"a":{}}'].map((piece) => ({
      name: `[${piece}, ...]`,
      json: list(piece, piece),
    })),
    {
      name: "keys of their own",
      json: join(
        pack("{"),
        packNumbered(bytes, (number) => `"${number.toString(36)}":0,`),
        pack('"z":0}'),
      ),
    },
    // Just below what is counted: these are parsed.
    ...namesMax.map((max) => ({
      name: `${max} keys, nearly`,
      json: join(pack("{"), packNumbered(scaled(max * 0.95) * numberedKey(0).length, numberedKey), pack('"z":0}')),
    })),
    { name: "nearly too many values", json: join(pack("["), packRepeated(scaled(valuesMax * 1.9), "0,"), pack("0]")) },
    { name: "arrays in arrays", json: deep("[", "]") },
    { name: "objects in objects", json: join(packRepeated(bytes, '{"a":'), pack("0")) },
    ...Array.from({ length: 4 }, () => {
      const unit = random.pick(characterClasses);
      return { name: `text of ${unit}`, json: textOf(unit, bytes) };
    }),
    { name: "a long number", json: packRepeated(bytes, "9") },
  ];
}

/** A member of 13 bytes. Each number gives another name. */
const numberedKey = (number: number): string => `"${number.toString(36).padStart(8, "0")}":0,`;

function textOf(unit: string, bytes: number): Packed {
  const escaped = JSON.stringify(fill(unit, 60_000)).slice(1, -1);
  return join(pack('"'), packRepeated(bytes, escaped), pack('"'));
}

type Source = Parameters<typeof jsonArbitrary>[1];

/** A valid request in which one member, or the whole body, is replaced by the filling. */
function makeBomb({ random, scaled }: Scene, operation: Operation, source: Source, fillings: readonly Filling[]): Bomb {
  const schema = operation.body?.content["application/json"]?.schema as JsonSchema;
  const [valid] = fc.sample(jsonArbitrary(schema, source), { numRuns: 1, seed: random.integer(0, 2 ** 30) });
  const members = Object.entries(propertiesOf(schema, source.schemas));
  const [member, memberSchema] = members.length === 0 ? [null, {}] : random.pick(members);
  const outer = member === null || random.chance(0.1) ? placeholder : { ...(valid as object), [member]: placeholder };
  const [head = "", tail = ""] = JSON.stringify(outer).split(JSON.stringify(placeholder));
  const filling = random.chance(0.4) ? fitting(memberSchema, source, scaled(inflatedBytes)) : null;
  return {
    operation,
    path: fillPath(operation, source, random.integer(0, 1_000)),
    body: join(pack(head), (filling ?? random.pick(fillings)).json, pack(tail)).zipped,
  };
}

function propertiesOf(schema: JsonSchema, schemas: Source["schemas"]): Record<string, JsonSchema> {
  if (typeof schema.$ref === "string") return propertiesOf(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, schemas);
  return (schema.properties ?? {}) as Record<string, JsonSchema>;
}

/**
 * A list with as many items as the schema allows, so that only its length can be refused. Null where no list is
 * allowed.
 */
function fitting(schema: JsonSchema, source: Source, bytes: number): Filling | null {
  const items = schema.type === "array" ? (schema.items as JsonSchema | undefined) : undefined;
  if (items === undefined) return null;
  const samples = fc.sample(jsonArbitrary(items, source), { numRuns: 20, seed: 1 }).map((item) => JSON.stringify(item));
  const smallest = samples.sort((one, other) => one.length - other.length)[0] ?? "{}";
  return { name: "valid items", json: join(pack("["), packRepeated(bytes, `${smallest},`), pack(`${smallest}]`)) };
}

function fillPath({ path, parameters }: Operation, { known }: Source, turn: number): string {
  return parameters
    .filter(({ in: place }) => place === "path")
    .reduce((filled, { name }) => {
      const ids = known[name] ?? [];
      return filled.replace(
        `{${name}}`,
        encodeURIComponent(String(ids[turn % Math.max(1, ids.length)] ?? crypto.randomUUID())),
      );
    }, path);
}
