import { type ErrorCode, errorKinds } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { AppError, renderError } from "../src/index.ts";

test("on the OTLP routes retryable errors are { message }, the daily quota stays { error }", {
  tags: ["spec:envelope.otlp"],
}, () => {
  const bodyOf = (code: "rate_limited" | "queue_full" | "store_unavailable" | "trace_quota_spent") =>
    renderError(new AppError(code, "why"), "otlp", "POST").body;

  expect(bodyOf("rate_limited")).toEqual({ message: "why" });
  expect(bodyOf("queue_full")).toEqual({ message: "why" });
  expect(bodyOf("store_unavailable")).toEqual({ message: "why" });
  expect(bodyOf("trace_quota_spent")).toEqual({ error: "why" });
});

test("a bug is a 500 without details, and a 503 on the OTLP routes, whose clients drop an export on 500", () => {
  const bug = new Error("secret detail");

  expect(renderError(bug, "standard", "POST")).toMatchObject({ status: 500, isBug: true, body: { statusCode: 500 } });
  expect(renderError(bug, "otlp", "POST")).toMatchObject({ status: 503, isBug: true, headers: { "retry-after": "2" } });
  expect(JSON.stringify([renderError(bug, "standard", "POST"), renderError(bug, "otlp", "POST")])).not.toContain(
    "secret",
  );
});

const envelopes = {
  error: { error: "why" },
  global: { statusCode: expect.any(Number), message: "why" },
  account: { message: "why", code: expect.any(String) },
  validation: { error: "why", details: { fieldErrors: {}, formErrors: [] } },
};

test.each(Object.entries(errorKinds))(
  "%s has the one shape of its kind, and never the older { message, errors }",
  { tags: ["spec:envelope.hosted"] },
  (code, { status, envelope }) => {
    const details = envelope === "validation" ? { details: { fieldErrors: {}, formErrors: [] } } : {};
    const rendered = renderError(new AppError(code as ErrorCode, "why", details), "standard", "POST");

    expect(rendered.status).toBe(status);
    expect(rendered.body).toEqual(envelopes[envelope]);
  },
);

test("the Retry-After of an outage is 2 s for writers and 5 s for readers, unless the error has one", {
  tags: ["spec:limit.retry-after"],
}, () => {
  const after = (method: string, error: AppError) => renderError(error, "standard", method).headers["retry-after"];
  for (const code of ["store_unavailable", "service_unavailable"] as const) {
    expect(["GET", "POST", "DELETE"].map((method) => after(method, new AppError(code, "away")))).toEqual([
      "5",
      "2",
      "2",
    ]);
    expect(after("GET", new AppError(code, "full", { retryAfterSeconds: 1 }))).toBe("1");
  }
  expect(after("GET", new AppError("queue_full", "full"))).toBe("1");
  expect(after("GET", new AppError("not_found", "none"))).toBeUndefined();
});
