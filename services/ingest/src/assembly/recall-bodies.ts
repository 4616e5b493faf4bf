import { hash } from "node:crypto";
import type { Derivation } from "../model/derivation.ts";
import { isPacked } from "../model/span-body.ts";
import type { ComposableSpan, LenderDigest, LendingRow, ListedRow } from "./composable.ts";
import type { ListedBodies } from "./listed-bodies.ts";

type Row = ListedRow<Omit<ComposableSpan, "body">>;

/** Which bodies of a page were composed before. What log records tell of a row is in no key: it is composed anew. */
export interface Recall {
  /** Takes note of rows that lend to the page, a slice at a time. */
  see(rows: readonly LenderDigest[]): void;
  bodyOf(row: Row): Buffer | undefined;
  /** Compares rows, as they are read, with what was seen of them, and passes them on. */
  compare(slices: AsyncIterable<LendingRow[]>): AsyncIterable<LendingRow[]>;
  /** Whether a row was read, and is what was seen of it: neither removed nor told of by a log record since. */
  isAsSeen(id: string): boolean;
  /** Keeps a body for the next page, where all that it was made of is known. */
  keep(row: Row, body: Buffer): void;
}

export function createRecall(rows: readonly Row[], listed: ListedBodies): Recall {
  /** By id, the SHA-256 of bodies. */
  const digests = new Map<string, string>();
  /** By id, what the rows are that lend: their kinds and bodies. */
  const lenders = new Map<string, string>();
  const keys = new Map<Row, string>();
  const found = new Map<Row, Buffer>();
  const asSeen = new Set<string>();

  function lookUp(): void {
    for (const row of rows) {
      const key = keys.get(row) ?? keyOf(row, lenders);
      if (key !== null && !keys.has(row)) {
        keys.set(row, key);
        const body = listed.find(key);
        if (body !== undefined) found.set(row, body);
      }
    }
  }

  for (const { span, digest } of rows) if (digest !== null) digests.set(span.id, digest);
  lookUp();
  return {
    see(slice) {
      for (const { id, kind, digest, hasFragments } of slice) {
        if (hasFragments) continue;
        // Of a row of the page the list itself is what counts.
        if (!digests.has(id)) digests.set(id, digest);
        lenders.set(id, describe(kind, digest));
      }
      lookUp();
    },
    bodyOf: (row) => found.get(row),
    async *compare(slices) {
      for await (const slice of slices) {
        for (const { id, hasFragments, body } of slice) {
          const isTold = hasFragments && lenders.has(id);
          if (!isTold && digests.get(id) === digestOf(body)) asSeen.add(id);
        }
        yield slice;
      }
    },
    isAsSeen: (id) => asSeen.has(id),
    keep(row, body) {
      const key = keys.get(row);
      if (key === undefined || body === row.body) return;
      if (lendersOf(row.span.derived).every((id) => asSeen.has(id))) listed.keep(key, body);
    },
  };
}

/** All that the body which lists show of a row is a function of; null = not all of it is known. */
function keyOf({ span, body, digest }: Row, lenders: ReadonlyMap<string, string>): string | null {
  const { kind, derived } = span;
  // As it is stored: there is nothing to recall.
  if (derived === null && body !== null && !isPacked(body)) return null;
  if (derived?.hasFragments === true || !lendersOf(derived).every((id) => lenders.has(id))) return null;
  const roles = rolesOf(derived).map(([role, ids]) => ` ${role} ${ids.map((id) => lenders.get(id)).join(" ")}`);
  return describe(kind, digest ?? digestOf(body as Buffer)) + roles.join("");
}

function digestOf(body: Buffer): string {
  return hash("sha256", body, "base64");
}

function lendersOf(derived: Derivation | null): string[] {
  return rolesOf(derived).flatMap(([, ids]) => ids);
}

function rolesOf(derived: Derivation | null): [role: string, ids: readonly string[]][] {
  const roles: [string, readonly string[]][] = [];
  if (derived?.inputFrom !== undefined) roles.push(["input", [derived.inputFrom]]);
  if (derived?.outputFrom !== undefined) roles.push(["output", [derived.outputFrom]]);
  if (derived?.toolsFrom !== undefined) roles.push(["tools", derived.toolsFrom]);
  if (derived?.callsFrom !== undefined) roles.push(["calls", derived.callsFrom]);
  return roles;
}

function describe(kind: string, digest: string): string {
  return `${kind}:${digest}`;
}
