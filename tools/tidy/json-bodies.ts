import type { Route } from "@touchstone/contracts";

/**
 * Bodies that are kept as they came in (traces, datasets, results), and those whose rules look at several members or at what
 * is stored. The list may only get shorter.
 */
export const bodiesReadByHand: readonly string[] = [
  "submitTrace",
  "submitScores",
  "updateDataset",
  "addCases",
  "putCase",
  "createDataset",
  "createRun",
  "submitResults",
  "createEvaluationSettings",
  "updateEvaluationSettings",
  "createJudgeScorer",
  "updateJudgeScorer",
  "createScorerGroup",
  "updateScorerGroup",
  "createCiRun",
  "submitCiResults",
  "finalizeCiRun",
  "publishPrompt",
  "createPattern",
  "tryPattern",
  "updatePattern",
  "patchPattern",
  "updateMonitoringPattern",
  "patchMonitoringPattern",
  "createOutcome",
  "createOnlineEvaluator",
  "updateOnlineEvaluator",
  "createCustomEvaluator",
  "tryCustomEvaluator",
  "updateCustomEvaluator",
  "deleteAccount",
  "deleteOrganization",
];

/**
 * Compares the routes with the list of those whose JSON body no schema judges. Returns one sentence for each route that is
 * missing in the list, and for each that the list names without need.
 */
export function findUnjudgedBodies(routes: readonly Route[], list: readonly string[]): string[] {
  // Dropin translates bodies for the owners of the data, which judge them.
  const withJson = routes.filter(
    ({ body, authentication, owner }) =>
      body?.kind === "json" && !authentication.includes("account") && owner !== "dropin",
  );
  const unjudged = withJson.filter(({ body }) => !("sentences" in (body ?? {}))).map(({ id }) => id);
  return [
    ...unjudged.filter((id) => !list.includes(id)).map((id) => `${id} has a body that no schema judges: use judged().`),
    ...list.filter((id) => !unjudged.includes(id)).map((id) => `${id} needs no place on the list: take it off.`),
  ];
}
