import { setTimeout as sleep } from "node:timers/promises";

const retryMaxMs = 120_000;
const pauseMs = 1_000;
const retriable: ReadonlySet<number> = new Set([429, 503]);

/**
 * Sends a request until the answer is not "retry later", and returns that answer. For what a test depends on but does
 * not examine: on a machine that runs other tests too, the system may be too busy for a moment. After two minutes it
 * returns the refusal.
 */
export async function untilServed<Answer extends { status: number }>(send: () => Promise<Answer>): Promise<Answer> {
  for (const deadline = performance.now() + retryMaxMs; ; ) {
    const answer = await send();
    if (!retriable.has(answer.status) || performance.now() > deadline) return answer;
    await sleep(pauseMs);
  }
}
