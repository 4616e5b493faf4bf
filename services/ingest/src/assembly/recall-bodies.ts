import { hash } from "node:crypto";
import type { Derivation } from "../model/derivation.ts";
import { isPacked } from "../model/span-body.ts";
import type { ComposableSpan, LenderDigest, LendingRow, ListedRow } from "./composable.ts";
import type { ListedBodies } from "./listed-bodies.ts";

type Row = ListedRow<Omit<ComposableSpan, "body">>;

/**
 * Finds the bodies of a page that were composed before. Keys do not cover log records: rows with records are composed
 * again.
 */
export interface Recall {
  /** Records rows that lend to the page, a slice at a time. */
  see(rows: readonly LenderDigest[]): void;
  bodyOf(row: Row): Buffer | undefined;
  /** Compares rows with their recorded digests as they are read, and passes them on. */
  compare(slices: AsyncIterable<LendingRow[]>): AsyncIterable<LendingRow[]>;
  /** True if the row was read and is unchanged: not removed, and without new log records. */
  isAsSeen(id: string): boolean;
  /** Caches a body for the next page, if all of its inputs are known. */
  keep(row: Row, body: Buffer): void;
}

export function createRecall(rows: readonly Row[], listed: ListedBodies): Recall {
  /** SHA-256 of bodies by id. */
  const digests = new Map<string, string>();
  /** Kinds and bodies of lending rows by id. */
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
        // For a row of the page, the digest from the list is the right one.
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

/** The key of a listed body, covering all its inputs; null if some are unknown. */
function keyOf({ span, body, digest }: Row, lenders: ReadonlyMap<string, string>): string | null {
  const { kind, derived } = span;
  // Shown as stored: there is nothing to cache.
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
