import createClient from "openapi-fetch";
import { noAnswer, readProblem } from "./problem.ts";
import type { paths } from "./schema.gen.d.ts";

const deadlineMs = 40_000;

/**
 * The API as the signed-in user sees it: the account, organizations, the list of projects. Authenticated by the session cookie;
 * no project is named. Every call rejects with an ApiProblem unless the answer is a success.
 */
export const accountApi = createClient<paths>({
  baseUrl: "",
  fetch: async (request) => {
    let answer: Response;
    try {
      answer = await fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(deadlineMs)]) });
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw noAnswer(error);
    }
    if (answer.ok) return answer;
    throw await readProblem(answer);
  },
});
