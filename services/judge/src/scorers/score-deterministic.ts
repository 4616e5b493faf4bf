import type { DeterministicRequest, DeterministicScore } from "@touchstone/contracts";
import { type PlaceRequest, runInSlices } from "@touchstone/service-kit";
import type { CodeScope } from "./code/score-code.ts";
import { failContext, scoreContext } from "./context/score.ts";
import { scoreTrajectory } from "./trajectory/score.ts";

/** Runs the code scorers of one result, a row for each; never rejects. */
export type ScoreCode = (
  scorers: DeterministicRequest["codeScorers"],
  scope: CodeScope,
  request: PlaceRequest,
) => Promise<DeterministicScore[]>;

/**
 * The rows of `codeScorerResults` (interface: Result row): the code scorers in order, then trajectory match, then context
 * match. Each is isolated: one that fails has a null score and an error and does not affect the others. Never rejects.
 */
export async function scoreDeterministic(
  { codeScorers, trajectoryMatch, contextMatch }: DeterministicRequest,
  scope: CodeScope,
  request: PlaceRequest,
  scoreCode: ScoreCode,
): Promise<DeterministicScore[]> {
  const toolNames = scope.toolCalls?.map((call) => call.name) ?? null;
  const [code, context] = await Promise.all([
    scoreCode(codeScorers, scope, request),
    contextMatch === null
      ? []
      : runInSlices(scoreContext(contextMatch), request.signal).catch(() =>
          failContext("The time for this result was up before it could be computed"),
        ),
  ]);
  const trajectory = trajectoryMatch === null ? [] : scoreTrajectory(trajectoryMatch, toolNames);
  return [code, trajectory, context].flat();
}
