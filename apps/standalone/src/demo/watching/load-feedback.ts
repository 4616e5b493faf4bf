import { type DemoClient, inParallel } from "../demo-client.ts";
import { createRandom } from "../random.ts";
import type { PlannedTrace } from "../traffic/planned-trace.ts";

/** The number of answers with votes. */
const votesMax = 120;

/** A vote on a judged trace, by people who know the policy. */
interface Vote {
  trace: PlannedTrace;
  rating: "up" | "down";
  comment: string | null;
}

/**
 * People's votes on judged answers. They know more than the judge and do not always agree: a bad answer is voted down nine times
 * in ten, a weak one less often than not, a good one hardly ever. Bad and weak answers are over-represented, since people look at
 * problems.
 */
export function planVotes(traces: readonly PlannedTrace[]): Vote[] {
  const random = createRandom("votes");
  const judged = traces.filter(({ isJudged, output }) => isJudged && output !== null);
  const isGood = ({ answer }: PlannedTrace): boolean => answer.rating >= 7;
  const picked = [
    ...judged.filter((trace) => !isGood(trace)).slice(0, votesMax * 0.55),
    ...judged.filter(isGood).slice(0, votesMax * 0.45),
  ];
  return picked.map((trace) => {
    const { rating, because } = trace.answer;
    const isDown = random.chance(rating < 4 ? 0.9 : rating < 7 ? 0.55 : 0.05);
    const comment = isDown && random.chance(0.5) ? because : null;
    return { trace, rating: isDown ? "down" : "up", comment };
  });
}

export async function loadVotes(
  client: DemoClient,
  votes: readonly Vote[],
  traceIdOf: (trace: PlannedTrace) => string | null,
): Promise<void> {
  await inParallel(votes, 8, async ({ trace, rating, comment }) => {
    const traceId = traceIdOf(trace);
    if (traceId === null) return;
    const { feedback } = await client.call<{ feedback: unknown[] }>("GET", `/feedback/trace/${traceId}`);
    if (feedback.length > 0) return;
    await client.call("POST", "/feedback", {
      traceId,
      rating,
      endUserId: trace.userId,
      ...(comment !== null && { comment }),
    });
  });
}
