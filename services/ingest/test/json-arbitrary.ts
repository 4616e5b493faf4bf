import fc from "fast-check";

/** Number literals that a parse and a print would change. */
const nastyNumbers = [
  "-0",
  "0.0",
  "-0.0e-0",
  "1e400",
  "-1E+400",
  "1e-400",
  "9007199254740993",
  "123456789012345678901234567890",
  "0.1000000000000000055511151231257827",
  "1.50",
  "2E5",
];

/** String literals that a decode or a database's text type would change or refuse. */
const nastyStrings = [
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83d\\ude00"',
  '"\u{1f600}"',
  '"\\/"',
  '"\\u002f"',
  '"\\u00e9"',
  '"é"',
  '"\u2028\u2029"',
  '"\\b\\f\\n\\r\\t\\"\\\\"',
  '"\u007f"',
];

const keys = fc.oneof(
  fc.constantFrom('"__proto__"', '"constructor"', '"\\u005f_proto__"', '""', '"a"', '"a\\u0000"', '"\\ud800"'),
  fc.string({ maxLength: 6 }).map((key) => JSON.stringify(key)),
);
const space = fc.constantFrom("", "", "", " ", "\n\t", "\r\n");

/** The text of any JSON value, as some producer might write it: literals, white space and repeated keys included. */
export function jsonText(): fc.Arbitrary<string> {
  const scalar = fc.oneof(
    fc.constantFrom("null", "true", "false", ...nastyNumbers, ...nastyStrings),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => JSON.stringify(value)),
    fc.bigInt().map(String),
    fc.string({ unit: "binary" }).map((value) => JSON.stringify(value)),
  );
  return fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalar,
      fc
        .tuple(space, fc.array(fc.tuple(tie("value"), space), { maxLength: 4 }))
        .map(([open, items]) => `[${open}${items.map(([item, after]) => item + after).join(",")}]`),
      objectText(tie("value")),
    ),
  })).value;
}

/** The text of a JSON object; see {@link jsonText}. */
export function objectText(value: fc.Arbitrary<string> = jsonText()): fc.Arbitrary<string> {
  return fc
    .tuple(space, fc.array(fc.tuple(keys, space, value, space), { maxLength: 4 }))
    .map(
      ([open, members]) =>
        `{${open}${members.map(([key, colon, item, after]) => `${key}:${colon}${item}${after}`).join(",")}}`,
    );
}
