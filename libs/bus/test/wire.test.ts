import type { MsgHdrsImpl } from "@nats-io/transport-node";
import { AppError } from "@touchstone/service-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { decodeBody, encodeMessage, failureOf } from "../src/wire.ts";

describe("an encoded message", () => {
  const value = fc
    .string({ unit: "binary" })
    .map((text) => text.replace(/[\r\n]/g, "").trim())
    .filter(Boolean);

  test("has the size that the server counts: headers as they are sent, and the body", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), fc.jsonValue(), (values, body) => {
        const fields = Object.fromEntries(values.map((text, index) => [`Header-${index}`, text]));
        const { data, headers, bytes } = encodeMessage(fields, body);
        expect(bytes).toBe(data.length + (headers as MsgHdrsImpl).encode().length);
      }),
    );
  });

  test("is decoded to the same JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (body) => {
        const read = decodeBody(z.unknown(), encodeMessage({}, body).data);
        expect(read).toEqual({ ok: true, body: JSON.parse(JSON.stringify(body)) });
      }),
    );
  });

  test("leaves out what is null", () => {
    expect(encodeMessage({ A: "1", B: null }).headers.keys()).toEqual(["A"]);
  });
});

describe("an invalid body", () => {
  test.for([
    { name: "no JSON", bytes: Buffer.from("secret"), problem: "not JSON in UTF-8" },
    { name: "no UTF-8", bytes: Buffer.from([0x22, 0xff, 0x22]), problem: "not JSON in UTF-8" },
    { name: "another shape", bytes: Buffer.from('{"number":"secret"}'), problem: "number: invalid_type" },
    { name: "no object", bytes: Buffer.from('"secret"'), problem: "(body): invalid_type" },
  ])("because it is $name is described without quoting it", ({ bytes, problem }) => {
    expect(decodeBody(z.object({ number: z.number() }), bytes)).toMatchObject({ ok: false, problem });
  });
});

describe("the transmitted part of an error", () => {
  test("is the code, the public message and the delay of an expected one", () => {
    const error = new AppError("conflict", "It is finished", { retryAfterSeconds: 3, cause: new Error("secret") });
    expect(failureOf(error)).toEqual({ code: "conflict", message: "It is finished", retryAfterSeconds: 3 });
  });

  test.for([new Error("secret"), Object.assign(new Error("secret"), { code: "23505" }), "secret", null])(
    "is only its occurrence for any other: %s",
    (thrown) => {
      expect(failureOf(thrown)).toEqual({ code: "internal", message: "Internal error", retryAfterSeconds: null });
    },
  );
});
