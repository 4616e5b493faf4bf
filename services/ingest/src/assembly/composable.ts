import type { Derivation } from "../model/derivation.ts";
import type { LentCall, MessageCalls } from "./compose-calls.ts";

/** The part of a read span that composing needs. */
export interface ComposableSpan {
  id: string;
  /** Absent if no span lends to another one of this batch. */
  spanId?: string | null;
  kind: string;
  derived: Derivation | null;
  /** The blob; see span-body.ts. */
  body: Buffer;
}

/** A row of a list. Short bodies are read with the row, long ones have only their digest. */
export interface ListedRow<Span extends Omit<ComposableSpan, "body">> {
  span: Span;
  /** The blob; null if it was not read. */
  body: Buffer | null;
  /** SHA-256 of the body; null if the body was read. */
  digest: string | null;
  /** Size of the body's text. */
  textBytes: number;
}

/** A row that another row refers to. */
export interface LendingRow {
  id: string;
  spanId: string | null;
  kind: string;
  hasFragments: boolean;
  body: Buffer;
}

/** The facts about a lending row before its body is read. */
export interface LenderDigest extends Pick<LendingRow, "id" | "kind" | "hasFragments"> {
  /** SHA-256 of its body. */
  digest: string;
  /** Size of the body's text. */
  textBytes: number;
}

/** The lent content of one row, cut to what was requested. */
export interface Lent {
  id: string;
  spanId: string | null;
  kind: string;
  input: string | null;
  output: string | null;
  tools: LentCall[];
  messageCalls: MessageCalls | null;
  body: Buffer | null;
}
