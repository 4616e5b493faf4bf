import fc from "fast-check";
import { createAnswerCheck } from "../../../conformance/src/check-answer.ts";
import { type HttpRequest, toCurl } from "../../../conformance/src/http-request.ts";
import { idsFor, makeKnownIds } from "../../../conformance/src/known-ids.ts";
import { type Operation, readOpenApi } from "../../../conformance/src/open-api.ts";
import { requestArbitrary } from "../../../conformance/src/request-arbitrary.ts";
import { sendRequest } from "../../../conformance/src/send-request.ts";
import type { Attack } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";

const requestsPerOperation = 4;
/** It would replace the key that all requests use. */
const leftOut = ["regenerateApiKey"];

/** Requests to all routes in any order, generated from the OpenAPI document; half of them are invalid in one place. */
export const fuzz: Attack = {
  name: "fuzz",
  does: "Valid and spoilt requests from the OpenAPI document to all routes in any order, 60 a second: documented statuses, no 5xx but 503.",
  setting: "projects",
  async prepare({ url, random, openTenant, tally, over }) {
    const { apiKey } = await openTenant("fuzz");
    const system = { url, apiKey, adminToken: null, stop: async () => {} };
    const openApi = await readOpenApi();
    const known = await makeKnownIds(system);
    const check = createAnswerCheck(openApi);
    const requests = openApi.operations
      .filter(({ id }) => !leftOut.includes(id))
      .flatMap((operation) => {
        const source = { schemas: openApi.schemas, known: idsFor(operation.id, known) };
        const sample = { numRuns: requestsPerOperation, seed: random.integer(0, 2 ** 30) };
        return fc.sample(requestArbitrary(operation, source), sample).map((request) => ({ operation, request }));
      });

    async function send(operation: Operation, request: HttpRequest): Promise<void> {
      try {
        const answer = await sendRequest(system, request);
        tally.count(answer.status);
        // Other requests of this attack may have deleted the object, so any documented status is right.
        const problems = check(operation, { ...request, expected: null }, answer).filter(
          (problem) => problem !== "It answered 503.",
        );
        if (problems.length > 0)
          tally.complain(`${operation.id}: ${problems.join(" ")} ${toCurl(request).slice(0, 2_000)}`);
      } catch (error) {
        tally.count("broken");
        tally.complain(`${operation.id}: ${(error as Error).message} ${toCurl(request).slice(0, 2_000)}`);
      }
    }

    return () =>
      untilOver({ atOnce: 4, pauseMs: 65, over }, async () => {
        const { operation, request } = random.pick(requests);
        await send(operation, request);
      });
  },
};
