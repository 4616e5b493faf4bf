import type { Derivation } from "../model/derivation.ts";
import type { LentCall, ToldCalls } from "./compose-calls.ts";

/** What of a read span composing needs. */
export interface ComposableSpan {
  id: string;
  /** Left out where no span lends to another one of those composed with it. */
  spanId?: string | null;
  kind: string;
  derived: Derivation | null;
  /** The blob; see span-body.ts. */
  body: Buffer;
}

/** A row of a list as it was found: short bodies are read with their rows, of others what they are is. */
export interface ListedRow<Span extends Omit<ComposableSpan, "body">> {
  span: Span;
  /** The blob; null where it was not read. */
  body: Buffer | null;
  /** Its SHA-256; null where it was read. */
  digest: string | null;
  /** Of the text of its body. */
  textBytes: number;
}

/** A row that another one refers to. */
export interface LendingRow {
  id: string;
  spanId: string | null;
  kind: string;
  hasFragments: boolean;
  body: Buffer;
}

/** What is known of a row that lends before its body is read. */
export interface LenderDigest extends Pick<LendingRow, "id" | "kind" | "hasFragments"> {
  /** The SHA-256 of its body. */
  digest: string;
  /** Of the text of its body. */
  textBytes: number;
}

/** What one row lends, cut to what was asked of it. */
export interface Lent {
  id: string;
  spanId: string | null;
  kind: string;
  input: string | null;
  output: string | null;
  tools: LentCall[];
  told: ToldCalls | null;
  body: Buffer | null;
}
