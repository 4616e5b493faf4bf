import { isUuid, type KnownMember, limits, type readMembers } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import type { z } from "zod";
import type { EvaluatorDocument } from "../custom-evaluators/evaluator.ts";
import type { EvaluatorStore } from "../custom-evaluators/evaluator-store.ts";
import { builtinPatterns } from "../patterns/builtin/builtins.ts";
import type { PatternDocument } from "../patterns/matching/pattern.ts";
import type { PatternStore } from "../patterns/pattern-store.ts";
import type { evaluatorDefinition, patternDefinition } from "./member-definition.ts";

type Reference = z.output<typeof readMembers.body>["members"][number];

/** Reads the patterns and custom scorers that groups have. */
export interface MemberStores {
  patterns: Pick<PatternStore, "findInParts">;
  evaluators: Pick<EvaluatorStore, "findInParts">;
}

/**
 * The current definitions of the named patterns and custom scorers of a project; missing ones are left out. They are read in
 * parts, of which only the definitions are kept. Throws `bad_request` when these are too large together.
 */
export async function findMembers(
  { patterns, evaluators }: MemberStores,
  projectId: string,
  references: readonly Reference[],
): Promise<KnownMember[]> {
  const known = new Map<string, KnownMember>();
  let bytes = 0;
  const keep = (member: KnownMember): void => {
    bytes += Buffer.byteLength(JSON.stringify(member.definition));
    if (bytes > limits.groupScorersMaxBytes) throw new AppError("bad_request", tooLarge);
    known.set(keyOf(member), member);
  };
  const idsOf = (kind: Reference["kind"]) =>
    references.filter((each) => each.kind === kind && isUuid(each.refId)).map(({ refId }) => refId);
  for await (const part of patterns.findInParts(projectId, idsOf("pattern"))) {
    for (const { id, document } of part) {
      keep({ kind: "pattern", refId: id, name: document.name, definition: definePattern(document) });
    }
  }
  for await (const part of evaluators.findInParts(projectId, idsOf("custom"))) {
    for (const { id, document } of part) {
      keep({ kind: "custom", refId: id, name: document.name, definition: defineEvaluator(document) });
    }
  }
  return references.flatMap((reference) => findBuiltin(reference) ?? known.get(keyOf(reference)) ?? []);
}

const tooLarge = `The patterns and custom scorers of a scorer group have at most ${limits.groupScorersMaxBytes} bytes together`;

const keyOf = ({ kind, refId }: Reference): string => `${kind} ${refId}`;

function findBuiltin({ kind, refId }: Reference): KnownMember | null {
  const builtin = kind === "pattern" ? builtinPatterns.find(({ key }) => key === refId) : undefined;
  if (builtin === undefined) return null;
  const definition: z.input<typeof patternDefinition> = { builtin: builtin.key };
  return { kind, refId, name: builtin.name, definition };
}

function definePattern({ polarity, conditions }: PatternDocument) {
  return { polarity, conditions: [...conditions] } satisfies z.input<typeof patternDefinition>;
}

function defineEvaluator({ kind, url, script, invertMatch, alertBelow }: EvaluatorDocument) {
  return {
    kind,
    ...(url !== undefined && { url }),
    ...(script !== undefined && { script }),
    invertMatch,
    alertBelow,
  } satisfies z.input<typeof evaluatorDefinition>;
}
