import type { AttributeMap, AttributeValue } from "../wire/received-span.ts";

/** Highest index accepted; a stray `llm.input_messages.99999999999.x` must not cost memory (otlp 4). */
const indexMax = 10_000;
/** Names between the dots; the deepest known family has eight. */
const segmentsMax = 16;

const indexText = /^\d{1,5}$/;

/** A rebuilt family: its items in the order of their indices, and its attributes. */
export interface IndexedFamily {
  items: unknown[];
  keys: string[];
}

/**
 * The keys of a span that carry an index. Computed once per span: most spans have none and need no search by family.
 */
export function indexedKeys(attributes: AttributeMap): string[] {
  const keys: string[] = [];
  for (const key of attributes.keys()) {
    if (/\.\d/.test(key)) keys.push(key);
  }
  return keys;
}

/**
 * Rebuilds `prefix.N.a.b` attributes into a list of nested objects (otlp 5.1). Keys may arrive in any order and with
 * gaps: items are sorted by N and gaps closed. Inner numbers make lists too. Null if the span has no such family.
 */
export function readFamily(attributes: AttributeMap, keys: readonly string[], prefix: string): IndexedFamily | null {
  const root: Branch = new Map();
  const used: string[] = [];
  for (const key of keys) {
    if (!key.startsWith(prefix) || key.charCodeAt(prefix.length) !== 0x2e) continue;
    const path = key.slice(prefix.length + 1).split(".");
    if (path.length > segmentsMax || !isIndex(path[0] as string)) continue;
    if (path.some((segment) => indexText.test(segment) && !isIndex(segment))) continue;
    place(root, path, attributes.get(key) as AttributeValue);
    used.push(key);
  }
  return used.length === 0 ? null : { items: asList(root), keys: used };
}

/** Values keyed by one path segment. A Map, so that a segment `__proto__` is an ordinary name. */
type Branch = Map<string, Branch | Leaf>;

interface Leaf {
  value: AttributeValue;
}

function place(root: Branch, path: readonly string[], value: AttributeValue): void {
  let branch = root;
  for (const segment of path.slice(0, -1)) {
    let next = branch.get(segment);
    if (!(next instanceof Map)) {
      next = new Map();
      branch.set(segment, next);
    }
    branch = next;
  }
  const last = path.at(-1) as string;
  // `a.0` beside `a.0.b`: the branch has more information than the bare value.
  if (!(branch.get(last) instanceof Map)) branch.set(last, { value });
}

function asList(branch: Branch): unknown[] {
  return [...branch.entries()].sort(([a], [b]) => Number(a) - Number(b)).map(([, node]) => build(node));
}

function build(node: Branch | Leaf): unknown {
  if (!(node instanceof Map)) return node.value;
  if ([...node.keys()].every(isIndex)) return asList(node);
  const record = Object.create(null) as Record<string, unknown>;
  for (const [key, child] of node) record[key] = build(child);
  return record;
}

function isIndex(segment: string): boolean {
  return indexText.test(segment) && Number(segment) <= indexMax;
}
