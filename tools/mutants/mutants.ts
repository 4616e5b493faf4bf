/** A seeded bug and the test that must notice it. */
export interface Mutant {
  name: string;
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
  test: { project: "unit" | "infra"; file: string; name: string };
}

/** Each is a mistake that somebody could make in a hurry. */
export const mutants: readonly Mutant[] = [
  {
    name: "an identity is accepted for any path",
    file: "libs/service-kit/src/internal-identity.ts",
    find: "stated.method === request.method && stated.path === request.path ? stated : null",
    replace: "stated.method === request.method ? stated : null",
    test: {
      project: "unit",
      file: "libs/service-kit/test/internal-identity.test.ts",
      name: "another path, another method and another audience refuse it",
    },
  },
  {
    name: "an identity never expires",
    file: "libs/service-kit/src/internal-identity.ts",
    find: "if (stated.expiresAtMs < options.clock.now()) return null;",
    replace: "",
    test: {
      project: "unit",
      file: "libs/service-kit/test/internal-identity.test.ts",
      name: "it expires after thirty seconds",
    },
  },
  {
    name: "requests act as the schema's owner",
    file: "libs/db/src/schema-owner.ts",
    find: "_app`,",
    replace: "_owner`,",
    test: {
      project: "infra",
      file: "libs/db/test/schema-owner.infra.test.ts",
      name: "a scoped transaction sees and writes the rows of its projects only",
    },
  },
];
