import { isUuid, type KnownMember, type readMembers } from "@touchstone/contracts";
import type { z } from "zod";
import type { EvaluatorStore } from "../custom-evaluators/evaluator-store.ts";
import { builtinPatterns } from "../patterns/builtin/builtins.ts";
import type { PatternStore } from "../patterns/pattern-store.ts";
import type { evaluatorDefinition, patternDefinition } from "./member-definition.ts";

type Reference = z.output<typeof readMembers.body>["members"][number];

/** The current definitions of the named patterns and custom scorers of a project; missing ones are left out. */
export async function findMembers(
  { patterns, evaluators }: { patterns: Pick<PatternStore, "findAll">; evaluators: Pick<EvaluatorStore, "findAll"> },
  projectId: string,
  references: readonly Reference[],
): Promise<KnownMember[]> {
  const idsOf = (kind: Reference["kind"]) =>
    references.filter((each) => each.kind === kind && isUuid(each.refId)).map(({ refId }) => refId);
  const [patternIds, evaluatorIds] = [idsOf("pattern"), idsOf("custom")];
  const [ownPatterns, ownEvaluators] = await Promise.all([
    patternIds.length > 0 ? patterns.findAll(projectId, patternIds) : [],
    evaluatorIds.length > 0 ? evaluators.findAll(projectId, evaluatorIds) : [],
  ]);
  return references.flatMap(({ kind, refId }): KnownMember[] => {
    if (kind === "custom") {
      const found = ownEvaluators.find(({ id }) => id === refId);
      return found === undefined
        ? []
        : [{ kind, refId, name: found.document.name, definition: defineEvaluator(found) }];
    }
    const builtin = builtinPatterns.find(({ key }) => key === refId);
    if (builtin !== undefined) {
      const definition: z.input<typeof patternDefinition> = { builtin: builtin.key };
      return [{ kind, refId, name: builtin.name, definition }];
    }
    const found = ownPatterns.find(({ id }) => id === refId);
    return found === undefined ? [] : [{ kind, refId, name: found.document.name, definition: definePattern(found) }];
  });
}

function definePattern({ document }: Awaited<ReturnType<PatternStore["findAll"]>>[number]) {
  const { polarity, conditions } = document;
  return { polarity, conditions: [...conditions] } satisfies z.input<typeof patternDefinition>;
}

function defineEvaluator({ document }: Awaited<ReturnType<EvaluatorStore["findAll"]>>[number]) {
  const { kind, url, script, invertMatch, alertBelow } = document;
  return {
    kind,
    ...(url !== undefined && { url }),
    ...(script !== undefined && { script }),
    invertMatch,
    alertBelow,
  } satisfies z.input<typeof evaluatorDefinition>;
}
