import type { Call } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { readSubmittedProject } from "../src/projects/submitted-project.ts";

const own = "00000000-0000-7000-8000-000000000001";
const call = {
  identity: { projectId: own, organizationId: null, userId: null } as Call["identity"],
  warn: () => undefined,
};

test.each([
  [{ name: "weather" }, "weather"],
  [{ name: "  weather agents " }, "weather agents"],
  [{ name: "天気 🌦", workspaceId: "local" }, "天気 🌦"],
  [{ name: "x".repeat(200), workspaceId: own }, "x".repeat(200)],
])("%j makes a project", (body, name) => {
  expect(readSubmittedProject(body, call)).toEqual({ name });
});

test.each([
  [undefined, "bad_request", "name is required"],
  [null, "bad_request", "name is required"],
  [[], "bad_request", "name is required"],
  [{}, "bad_request", "name is required"],
  [{ name: 7 }, "bad_request", "name is required"],
  [{ name: " " }, "bad_request", "name is required"],
  [{ name: "x".repeat(201) }, "bad_request", "name must not be longer than 200 characters"],
  [{ name: "a\0b" }, "bad_request", "name must not contain NUL or half of a surrogate pair"],
  [{ name: "a\ud800" }, "bad_request", "name must not contain NUL or half of a surrogate pair"],
  [{ name: "a", workspaceId: "00000000-0000-7000-8000-000000000002" }, "forbidden", "Unauthorized workspace access"],
  [{ workspaceId: 7 }, "forbidden", "Could not resolve a valid workspace"],
])("%j is refused", (body, code, message) => {
  expect(() => readSubmittedProject(body, call)).toThrow(expect.objectContaining({ code, message }));
});
