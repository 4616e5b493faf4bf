import { expect, test } from "vitest";
import { z } from "zod";
import { defineEvent, describeServiceGraph, type InternalRoute } from "../src/index.ts";

const empty = { routes: [], internalRoutes: [], busMessages: [] };

function call(from: InternalRoute["owner"], to: InternalRoute["owner"]): InternalRoute {
  return {
    id: "x",
    method: "GET",
    path: `/internal/${to}`,
    owner: to,
    askedBy: [from],
    body: z.null(),
    reply: z.null(),
  };
}

test("the map lists each arrow once, with its messages and routes", () => {
  const text = describeServiceGraph({ ...empty, internalRoutes: [call("judge", "auth"), call("gateway", "auth")] });
  expect(text).toContain("gateway -> auth\n  http GET /internal/auth\n\njudge -> auth\n  http GET /internal/auth\n");
});

test("a disallowed arrow is refused by name", () => {
  expect(() => describeServiceGraph({ ...empty, internalRoutes: [call("ingest", "auth")] })).toThrow(
    "ingest may not call auth (http GET /internal/auth)",
  );
});

test("services that call each other in a circle are refused, and the circle is named", () => {
  const circle = [call("gateway", "ingest"), call("ingest", "eval-runs"), call("eval-runs", "gateway")];
  expect(() => describeServiceGraph({ ...empty, internalRoutes: circle })).toThrow(
    "gateway -> ingest -> eval-runs -> gateway",
  );
});

test("an event against the arrows is allowed, since its publisher waits for no reader", () => {
  const event = defineEvent({
    subject: "event.x.done.v1",
    publishedBy: "auth",
    consumedBy: ["gateway"],
    body: z.null(),
  });
  expect(describeServiceGraph({ ...empty, busMessages: [event] })).toContain("event.x.done.v1: auth => gateway\n");
});
