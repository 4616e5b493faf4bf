import type { JsonSchema } from "./open-api.ts";

/** One change to a JSON value that its schema does not allow, or at least does not mention. */
export interface JsonMutation {
  what: string;
  value: unknown;
}

/** A member of an object somewhere in a value, and its schema. */
interface Member {
  holder: Record<string, unknown>;
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
  where: string;
}

/**
 * Every possible single change to `value`: removing a required member, changing a member's type, exceeding a bound,
 * adding an unknown member. Each is made on a copy.
 */
export function mutateJson(
  value: unknown,
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
): JsonMutation[] {
  const count = membersOf(value, schema, schemas).length;
  const mutations: JsonMutation[] = [
    { what: "another type at the root", value: Array.isArray(value) ? {} : [value] },
    { what: "null at the root", value: null },
    ...(isObject(value) ? [{ what: "an unexpected member", value: { ...value, unexpected: { a: [1] } } }] : []),
  ];
  for (let index = 0; index < count; index++) {
    for (const change of changesOf(member(value, index))) {
      const copy = structuredClone(value);
      const target = membersOf(copy, schema, schemas)[index] as Member;
      change.apply(target);
      mutations.push({ what: `${change.what} at ${target.where}`, value: copy });
    }
  }
  return mutations;

  function member(from: unknown, index: number): Member {
    return membersOf(from, schema, schemas)[index] as Member;
  }
}

interface Change {
  what: string;
  apply(target: Member): void;
}

function changesOf({ schema, isRequired }: Member): Change[] {
  const changes: Change[] = [{ what: "another type", apply: set(otherType(schema)) }];
  if (isRequired) changes.push({ what: "missing", apply: ({ holder, name }) => delete holder[name] });
  const bound = (name: string): number | undefined => schema[name] as number | undefined;
  const add = (what: string, limit: number | undefined, over: (limit: number) => unknown): void => {
    if (limit !== undefined) changes.push({ what, apply: set(over(limit)) });
  };
  add("too short", bound("minLength") || undefined, (limit) => "x".repeat(limit - 1));
  add("too long", bound("maxLength"), (limit) => "x".repeat(limit + 1));
  add("too few", bound("minItems") || undefined, () => []);
  add("too small", bound("minimum"), (limit) => limit - 1);
  add("too small", bound("exclusiveMinimum"), (limit) => limit);
  add("too large", bound("maximum"), (limit) => limit + 1);
  const most = bound("maxItems");
  if (most !== undefined) {
    const fill = ({ holder, name }: Member): void => {
      const items = Array.isArray(holder[name]) ? holder[name] : [];
      holder[name] = Array.from({ length: most + 1 }, (_, index) => items[index % Math.max(items.length, 1)] ?? {});
    };
    changes.push({ what: "too many", apply: fill });
  }
  return changes;
}

function set(value: unknown): (target: Member) => void {
  return ({ holder, name }) => {
    holder[name] = value;
  };
}

function otherType(schema: JsonSchema): unknown {
  const types = JSON.stringify(schema);
  if (!types.includes('"boolean"')) return true;
  return types.includes('"object"') ? 7 : { not: "expected" };
}

/** Every member of every object in `value` that the schema describes, outermost first. */
function membersOf(
  value: unknown,
  schema: JsonSchema | undefined,
  schemas: Readonly<Record<string, JsonSchema>>,
  where = "",
): Member[] {
  if (schema === undefined) return [];
  if (typeof schema.$ref === "string")
    return membersOf(value, schemas[schema.$ref.split("/").at(-1) ?? ""], schemas, where);
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => membersOf(item, schema.items as JsonSchema, schemas, `${where}/${index}`));
  }
  if (!isObject(value)) return [];
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, part]) => {
    if (!Object.hasOwn(value, name)) return [];
    const place = `${where}/${name}`;
    const own = { holder: value, name, schema: part, isRequired: required.includes(name), where: place };
    return [own, ...membersOf(value[name], part, schemas, place)];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
