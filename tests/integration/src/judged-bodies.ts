import { type JudgedBody, type Route, routes, sentenceFor } from "@touchstone/contracts";

/** A route whose body its contract judges. */
export type JudgedRoute = Route & { body: JudgedBody };

/** The routes whose handlers read the body with `parseBody`. */
export const judgedRoutes = Object.values<Route>(routes).filter((route): route is JudgedRoute =>
  Boolean(route.body && "sentences" in route.body),
);

/** One body, and the sentence it is refused with; null: its shape is right. */
interface JudgedCase {
  what: string;
  body: Readonly<Record<string, unknown>>;
  sentence: string | null;
}

/** As much of a JSON schema as cases are made from. */
interface Shape {
  type?: string;
  enum?: readonly unknown[];
  anyOf?: readonly Shape[];
  properties?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  items?: Shape;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
}

/** Values of every type, and texts that are stored nowhere. */
const anyValues: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  0.5,
  1e9,
  "",
  " ",
  "x",
  "a\0b",
  "\ud800",
  [],
  [1],
  {},
];
const takenMax = 3;

/**
 * For each member of a body: every kind of value and one beyond each bound, with the verdict of the schema; at most three
 * that it accepts. `sample` gives a value that names something, by the name of the member, where one is needed.
 */
function casesOf({ body }: JudgedRoute, sample: (member: string) => unknown): JudgedCase[] {
  const { properties = {}, required = [] } = body.schema.toJSONSchema({ io: "input" }) as Shape;
  const least = Object.fromEntries(
    required.map((member) => [member, sample(member) ?? anyOf(properties[member] ?? {})]),
  );
  return Object.entries(properties).flatMap(([member, shape]) => {
    const sent = [...anyValues, ...beyondBounds(shape)].map((value) => ({ ...least, [member]: value }));
    const cases = [least, ...sent].map((each) => ({
      what: `${member}: ${JSON.stringify(each)?.slice(0, 200)}`,
      body: each,
      sentence: sentenceOf(body, each),
    }));
    const taken = cases.filter(({ sentence }) => sentence === null).slice(0, takenMax);
    return cases.filter((each) => each.sentence !== null || taken.includes(each));
  });
}

/** A value that a schema takes. */
function anyOf(shape: Shape): unknown {
  const [first] = [...(shape.enum ?? []), ...(shape.anyOf ?? []).map((each) => anyOf(each))];
  if (first !== undefined) return first;
  if (shape.type === "number" || shape.type === "integer") return shape.minimum ?? 1;
  if (shape.type === "boolean") return true;
  return shape.type === "array" ? [] : "conformance";
}

function beyondBounds(shape: Shape): unknown[] {
  const { maxLength, minimum, maximum, maxItems, items } = shape;
  return [
    ...(maxLength === undefined ? [] : ["x".repeat(maxLength), "x".repeat(maxLength + 1)]),
    ...(minimum === undefined ? [] : [minimum, minimum - 1]),
    ...(maximum === undefined ? [] : [maximum, maximum + 1]),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => anyOf(items ?? {}))]),
    ...(shape.enum === undefined ? [] : [`${shape.enum[0]}s`]),
    ...(shape.anyOf ?? []).flatMap((each) => beyondBounds(each)),
  ];
}

/** What the contract of a body answers; null where its schema takes it. */
function sentenceOf({ schema, sentences, needed }: JudgedBody, body: Readonly<Record<string, unknown>>): string | null {
  const [issue] = schema.safeParse(JSON.parse(JSON.stringify(body))).error?.issues ?? [];
  if (issue === undefined) return null;
  const member = String(issue.path[0]);
  const isMissing = (body[member] ?? "") === "";
  if (needed.includes(member) && isMissing) return `${member} is required`;
  return sentenceFor(issue, sentences[member] ?? "");
}

/**
 * Sends the cases of a route and lists the answers that are wrong. A body whose shape is right may still be refused, with a
 * sentence of another kind.
 */
export async function findWrongAnswers(
  route: JudgedRoute,
  sample: (member: string) => unknown,
  send: (method: string, path: string, body: string) => Promise<{ status: number; text: string }>,
): Promise<string[]> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => String(sample(name)));
  const ofShape = sentencesOf(route.body);
  const wrong: string[] = [];
  for (const { what, body, sentence } of casesOf(route, sample)) {
    const { status, text } = await send(route.method, path, JSON.stringify(body));
    const isRight =
      sentence === null
        ? status < 500 && !ofShape.has(sentenceIn(text))
        : status === 400 && sentenceIn(text) === sentence;
    if (!isRight) wrong.push(`${route.id}, ${what}: ${status} ${text.slice(0, 200)}, not ${sentence}`);
  }
  return wrong;
}

/** The sentence of a refusal, in the envelope of its route. */
function sentenceIn(text: string): string {
  const { error, message } = JSON.parse(text || "{}") as { error?: string; message?: string };
  return message ?? error ?? "";
}

/** Every sentence a body may be refused with for its shape. */
function sentencesOf({ sentences, needed }: JudgedBody): Set<string> {
  const all = Object.values(sentences).flatMap((each) =>
    typeof each === "string" ? [each] : Object.values(each).filter((one) => one !== true),
  );
  return new Set([...all, ...needed.map((member) => `${member} is required`)]);
}
