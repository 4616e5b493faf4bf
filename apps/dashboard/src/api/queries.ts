import { QueryClient } from "@tanstack/react-query";
import { ApiProblem } from "./problem.ts";

/** Temporary failures: overload, an outage, a restart of the server. */
function isPassing(problem: unknown): boolean {
  return problem instanceof ApiProblem && [0, 429, 502, 503, 504].includes(problem.status);
}

/** Shorter waits are silent; a longer one is shown, with its countdown. */
const waitMostSeconds = 5;

/** Whether a read is retried automatically, and after how many milliseconds; null: the error is shown. */
export function retryDelay(failures: number, problem: unknown): number | null {
  if (failures >= 2 || !isPassing(problem)) return null;
  const asked = problem instanceof ApiProblem ? problem.retryAfterSeconds : null;
  if (asked !== null && asked > waitMostSeconds) return null;
  return (asked ?? 0.5 * 2 ** failures) * 1_000;
}

/** The cache of reads. A read that failed temporarily is retried twice, at the times that the API asks for. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        gcTime: 120_000,
        retry: (failures, problem) => retryDelay(failures, problem) !== null,
        retryDelay: (failures, problem) => retryDelay(failures, problem) ?? 0,
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}
