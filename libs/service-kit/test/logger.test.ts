import { expect, test } from "vitest";
import { createLogger } from "../src/index.ts";

function logged(thrown: unknown): { err: { code?: string; cause?: { message: string } } } {
  let line = "";
  const logger = createLogger(
    { service: "test", level: "info" },
    {
      write(text) {
        line = text;
      },
    },
  );
  logger.error({ err: thrown }, "it failed");
  return JSON.parse(line);
}

test("of an error its message, code and causes are logged, and nothing that a library attached to it", () => {
  const refused = Object.assign(new Error("duplicate key"), {
    code: "23505",
    detail: "Key (email)=(secret@example.com) already exists.",
    client: { password: "hunter2" },
  });

  const line = logged(new Error("the store refused the row", { cause: refused }));

  expect(line.err.cause).toMatchObject({ message: "duplicate key", code: "23505" });
  expect(JSON.stringify(line)).not.toMatch(/secret@example|hunter2/);
});

test("an endless chain of causes is cut", () => {
  const circular = new Error("a");
  circular.cause = circular;

  expect(JSON.stringify(logged(circular)).length).toBeLessThan(20_000);
});
