import { QueryClient } from "@tanstack/react-query";
import { ApiProblem } from "./problem.ts";

/** What waiting mends: overload, an outage, a server that restarts. */
function isPassing(problem: unknown): boolean {
  return problem instanceof ApiProblem && [0, 429, 502, 503, 504].includes(problem.status);
}

/** The cache of what was read. A read that failed for a passing reason is tried twice more, when the API says so. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        gcTime: 120_000,
        retry: (failures, problem) => failures < 2 && isPassing(problem),
        retryDelay: (failures, problem) => {
          const asked = problem instanceof ApiProblem ? problem.retryAfterSeconds : null;
          return Math.min(asked ?? 0.5 * 2 ** failures, 5) * 1_000;
        },
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}
