import { expect, test } from "vitest";
import { AppError, renderError } from "../src/index.ts";

test("on the OTLP routes what may be retried is { message }, the daily quota stays { error } [spec:envelope.otlp]", () => {
  const bodyOf = (code: "rate_limited" | "queue_full" | "store_unavailable" | "trace_quota_spent") =>
    renderError(new AppError(code, "why"), "otlp").body;

  expect(bodyOf("rate_limited")).toEqual({ message: "why" });
  expect(bodyOf("queue_full")).toEqual({ message: "why" });
  expect(bodyOf("store_unavailable")).toEqual({ message: "why" });
  expect(bodyOf("trace_quota_spent")).toEqual({ error: "why" });
});

test("a bug is a 500 without its words, and a 503 on the OTLP routes, which drop an export on 500", () => {
  const bug = new Error("secret detail");

  expect(renderError(bug, "standard")).toMatchObject({ status: 500, isBug: true, body: { statusCode: 500 } });
  expect(renderError(bug, "otlp")).toMatchObject({ status: 503, isBug: true, headers: { "retry-after": "2" } });
  expect(JSON.stringify([renderError(bug, "standard"), renderError(bug, "otlp")])).not.toContain("secret");
});
