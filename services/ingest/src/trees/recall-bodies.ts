import { hash } from "node:crypto";
import { isPackedSmall } from "../spans/span-body.ts";
import type { ComposableSpan, LenderDigest } from "./composable.ts";
import type { Derivation } from "./derivation.ts";
import type { ListedBodies } from "./listed-bodies.ts";

/** Which bodies of a page were composed before. What log records tell of a row is in no key: it is composed anew. */
export interface Recall {
  /** Takes note of rows that lend to the page, a slice at a time. */
  see(rows: readonly LenderDigest[]): void;
  /** Whether a body that has to be composed borrows of this row. */
  isWanted(id: string): boolean;
  bodyOf(span: ComposableSpan): Buffer | undefined;
  /**
   * Keeps a body for the next page, where all that it was made of is known. `isAsSeen`: whether a row that it borrows of
   * was not removed, or told of by a log record, since it was seen.
   */
  keep(span: ComposableSpan, body: Buffer, isAsSeen: (lender: string) => boolean): void;
}

export function createRecall(spans: readonly ComposableSpan[], listed: ListedBodies): Recall {
  /** By id, what the rows are that lend: their kinds and bodies. */
  const lenders = new Map<string, string>();
  const keys = new Map<ComposableSpan, string>();
  const found = new Map<ComposableSpan, Buffer>();
  let wanted = new Set<string>();

  function lookUp(): void {
    wanted = new Set();
    for (const span of spans) {
      const key = keys.get(span) ?? keyOf(span, lenders);
      if (key !== null && !keys.has(span)) {
        keys.set(span, key);
        const body = listed.find(key);
        if (body !== undefined) found.set(span, body);
      }
      if (!found.has(span)) for (const id of lendersOf(span.derived)) wanted.add(id);
    }
  }

  lookUp();
  return {
    see(rows) {
      for (const row of rows) if (!row.hasFragments) lenders.set(row.id, describe(row.kind, row.digest));
      lookUp();
    },
    isWanted: (id) => wanted.has(id),
    bodyOf: (span) => found.get(span),
    keep(span, body, isAsSeen) {
      const key = keys.get(span);
      if (key !== undefined && body !== span.body && lendersOf(span.derived).every(isAsSeen)) listed.keep(key, body);
    },
  };
}

/** All that the body which lists show of a span is a function of; null = not all of it is known. */
function keyOf(span: ComposableSpan, lenders: ReadonlyMap<string, string>): string | null {
  const { derived } = span;
  // As it is stored, or nearly: there is nothing to recall.
  if (derived === null && !isPackedSmall(span.body)) return null;
  if (derived?.hasFragments === true || !lendersOf(derived).every((id) => lenders.has(id))) return null;
  const roles = rolesOf(derived).map(([role, ids]) => ` ${role} ${ids.map((id) => lenders.get(id)).join(" ")}`);
  return describe(span.kind, hash("sha256", span.body, "base64")) + roles.join("");
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
