import type { FastifyReply } from "fastify";
import type { RateCount } from "../limits/rate-limits.ts";

/** Writes the draft-7 headers (completions 1.3). No library we know writes this draft. */
export function showRateLimit(reply: FastifyReply, { limit, windowSeconds, remaining, resetSeconds }: RateCount): void {
  reply
    .header("ratelimit-policy", `${limit};w=${windowSeconds}`)
    .header("ratelimit", `limit=${limit}, remaining=${remaining}, reset=${resetSeconds}`);
}
