import type { DeterministicRequest, DeterministicScore } from "@touchstone/contracts";
import { cutVisibly } from "@touchstone/service-kit";

type TrajectoryRequest = NonNullable<DeterministicRequest["trajectoryMatch"]>;

/** Longest reasoning, in UTF-16 units. */
const reasoningMaxChars = 2_000;

/**
 * Trajectory match (completions 6.3): 1 when the called tools, in order, match the expected ones in the given mode, else 0; the
 * reasoning lists both. Null with an error when there is no trace (`actual` null). Names are trimmed on both sides and blank
 * ones removed.
 */
export function scoreTrajectory(
  { tools, mode, linked }: TrajectoryRequest,
  actual: readonly string[] | null,
): DeterministicScore {
  const name = `Trajectory match (${mode})`;
  if (!linked || actual === null) return { name, score: null, error: "No trace is linked to this result" };
  const expectedNames = cleanNames(tools);
  const actualNames = cleanNames(actual);
  return {
    name,
    score: matches[mode](expectedNames, actualNames) ? 1 : 0,
    reasoning: cutVisibly(`Expected: ${list(expectedNames)}. Actual: ${list(actualNames)}.`, reasoningMaxChars),
  };
}

type Match = (expected: readonly string[], actual: readonly string[]) => boolean;

const matches: Record<TrajectoryRequest["mode"], Match> = {
  strict: (expected, actual) => expected.length === actual.length && expected.every((name, at) => name === actual[at]),
  unordered: (expected, actual) => expected.length === actual.length && containsAll(actual, expected),
  superset: (expected, actual) => containsAll(actual, expected),
  subset: (expected, actual) => {
    const known = new Set(expected);
    return actual.every((name) => known.has(name));
  },
};

/** True if each name occurs in `names` at least as often as in `wanted`. */
function containsAll(names: readonly string[], wanted: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const name of names) left.set(name, (left.get(name) ?? 0) + 1);
  return wanted.every((name) => {
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count > 0;
  });
}

function cleanNames(names: readonly string[]): string[] {
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}
