import type { FragmentBody } from "../../model/fragment-body.ts";
import type { FragmentFacts } from "../../model/incoming-fragment.ts";
import type { ReceivedLog } from "../wire/received-log.ts";
import type { SpanFacts } from "./span-facts.ts";

/** The content of a record before its span is known. */
export interface LogContent {
  kind: string;
  facts: FragmentFacts;
  body: Omit<FragmentBody, "order">;
}

/** The inputs of the content readers. */
export interface LogFacts {
  log: ReceivedLog;
  /** Its attributes, read like those of a span. */
  facts: SpanFacts;
}

/** An object with the member, or an empty one if there is no value. */
export function optional<Name extends string, Value>(name: Name, value: Value | null): { [Key in Name]?: Value } {
  return value === null ? {} : ({ [name]: value } as { [Key in Name]?: Value });
}
