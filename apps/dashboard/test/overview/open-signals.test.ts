import { expect, test } from "vitest";
import type { ProjectApi } from "../../src/api/client.ts";
import { createQueries } from "../../src/api/queries.ts";
import { statusesOf } from "../../src/inbox/rules.ts";
import { openSignalsQuery } from "../../src/overview/queries.ts";

test("the overview lists the same signals as open as the inbox, reopened ones too", async () => {
  let asked: { status?: string } = {};
  async function GET(_path: string, { params }: { params: { query: { status?: string } } }) {
    asked = params.query;
    return { data: { signals: [] }, response: new Response() };
  }
  const queries = createQueries();
  await queries.fetchQuery(openSignalsQuery({ projectId: "p1", GET } as unknown as ProjectApi));
  queries.clear();
  expect(asked.status?.split(",")).toEqual(statusesOf("open"));
});
