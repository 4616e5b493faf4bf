import { expect, test } from "vitest";
import { readSubject, subjectLabel } from "../../src/blocks/run-subject.ts";

test("a subject of the SDK names its agent, version, branch and commit", () => {
  const subject = readSubject({
    displayName: "refund-agent",
    version: "1.4.0",
    metadata: { branch: "main", commit: "d94c3b6aaaa" },
  });
  expect(subject).toEqual({ name: "refund-agent", version: "1.4.0", branch: "main", commit: "d94c3b6" });
  expect(subjectLabel(subject)).toBe("refund-agent 1.4.0");
});

test("a subject of a pipeline has its commit in git", () => {
  expect(readSubject({ displayName: "a", git: { branch: "fix/x", commit_sha: "c55d1e8" } })).toEqual({
    name: "a",
    version: null,
    branch: "fix/x",
    commit: "c55d1e8",
  });
});

test("the version may stand in the metadata, and be a number", () => {
  expect(readSubject({ version: " ", metadata: { version: 3 } }).version).toBe("3");
});

test.each([null, undefined, {}, { metadata: "text", git: 3, displayName: ["a"] }])(
  "nothing is made up of %j",
  (subject) => {
    const read = readSubject(subject);
    expect(read).toEqual({ name: null, version: null, branch: null, commit: null });
    expect(subjectLabel(read)).toBeNull();
  },
);
