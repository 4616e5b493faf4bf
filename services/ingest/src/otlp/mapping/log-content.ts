import type { FragmentBody } from "../../model/fragment-body.ts";
import type { FragmentFacts } from "../../model/incoming-fragment.ts";
import type { ReceivedLog } from "../wire/received-log.ts";
import type { SpanFacts } from "./span-facts.ts";

/** What a record says, before it is known which span it says it of. */
export interface LogContent {
  kind: string;
  facts: FragmentFacts;
  body: Omit<FragmentBody, "order">;
}

/** What a record is made of, for the readers of its content. */
export interface LogFacts {
  log: ReceivedLog;
  /** Its attributes, read like those of a span. */
  facts: SpanFacts;
}

/** The member where there is a value, no member where there is none. */
export function optional<Name extends string, Value>(name: Name, value: Value | null): { [Key in Name]?: Value } {
  return value === null ? {} : ({ [name]: value } as { [Key in Name]?: Value });
}
