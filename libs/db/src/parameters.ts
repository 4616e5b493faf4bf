/** The possible types of a column's values. */
type Cell = string | number | boolean | null;

/** Whether an element of an array of this type is quoted: where its text may contain special characters. */
const isQuoted = {
  uuid: false,
  boolean: false,
  smallint: false,
  integer: false,
  float8: false,
  text: true,
  json: true,
  timestamptz: true,
};

/**
 * The columns of rows that a statement receives as arrays: for each the type of an element, and how its value is read
 * from a row. A value of a type other than text, json and timestamptz is not escaped: it must be valid for the type.
 */
export type ArrayColumns<Row> = Readonly<
  Record<string, readonly [type: keyof typeof isQuoted, read: (row: Row) => Cell]>
>;

/** The parameters of a statement; see {@link parameters}. Each scalar is a member with its placeholder. */
export type StatementParameters<Row, Scalar extends string> = Readonly<Record<Scalar, string>> & {
  /** The arguments of `unnest`: `$1::uuid[], $2::text[]`. */
  readonly arrays: string;
  /** The names of the columns, in the same order: `project_id, name`. */
  readonly names: string;
  /** The values of all parameters, in the order of their numbers. */
  values(rows: readonly Row[], scalars: Readonly<Record<Scalar, unknown>>): unknown[];
};

/**
 * Numbers the parameters of a statement that receives rows as arrays, one for each column, and further scalars. Call it
 * once, when a module is loaded, so that the text of the statement is a constant.
 *
 * ```ts
 * const $ = parameters<Row, "shard">({ id: ["uuid", (row) => row.id], name: ["text", (row) => row.name] }, ["shard"]);
 * const text = `select ${$.names}, ${$.shard}::smallint from unnest(${$.arrays}) as u (${$.names})`; await
 * database.query({ name: "example", text, values: $.values(rows, { shard }) });
 * ```
 */
export function parameters<Row, const Scalar extends string>(
  columns: ArrayColumns<Row>,
  scalars: readonly Scalar[],
): StatementParameters<Row, Scalar> {
  const arrays = Object.values(columns);
  const readers = arrays.map(([type, read]) => ({ read, spell: isQuoted[type] ? quote : String }));
  const placeholders = scalars.map((scalar, index) => [scalar, `$${arrays.length + index + 1}`]);
  return {
    ...(Object.fromEntries(placeholders) as Record<Scalar, string>),
    arrays: arrays.map(([type], index) => `$${index + 1}::${type}[]`).join(", "),
    names: Object.keys(columns).join(", "),
    values(rows, given) {
      const values: unknown[] = [];
      for (const { read, spell } of readers) values.push(arrayLiteral(rows, read, spell));
      for (const scalar of scalars) values.push(given[scalar]);
      return values;
    },
  };
}

/** Integers as a parameter of type `integer[]`. */
export const integerArray = (values: readonly number[]): string | null => arrayLiteral(values, Number, String);

/** Characters that must be escaped in an element of an array literal. */
const special = /["\\]/;
const specials = /["\\]/g;

function quote(value: Cell): string {
  const text = String(value);
  return special.test(text) ? `"${text.replace(specials, "\\$&")}"` : `"${text}"`;
}

/**
 * PostgreSQL's literal of an array; null where every element is null: `unnest` of several arrays pads the short ones.
 * (The driver's own function escapes each element in two passes, including UUIDs and numbers: half of the time to send
 * a batch.)
 */
function arrayLiteral<Row>(
  rows: readonly Row[],
  read: (row: Row) => Cell,
  spell: (value: Cell) => string,
): string | null {
  let literal = "";
  let isSaid = false;
  for (const row of rows) {
    const value = read(row);
    if (value === null) literal += ",NULL";
    else {
      isSaid = true;
      literal += `,${spell(value)}`;
    }
  }
  return isSaid ? `{${literal.slice(1)}}` : null;
}
