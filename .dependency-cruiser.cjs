// Who may import whom. Run by tools/check-imports.ts, which also makes sure that every file was read: with a TypeScript
// it cannot use, dependency-cruiser reports no violations because it read nothing. Type-only imports count as imports.

const { roomRules } = require("./tools/import-rules/rooms.cjs");

/** Packages that talk to something outside the process. */
const outsideWorld = "(^|/)(pg|fastify|undici|ioredis|openai|@nats-io/[^/]+)($|/)";

/** Matches an installed package by its resolved path, and by its name when it is not installed for the importer. */
const library = (name) => `(^|/)${name}($|/)`;

const testCode = "(^tests/|^bench/|/test/|\\.test\\.ts$)";

module.exports = {
  forbidden: [
    {
      name: "services-are-islands",
      severity: "error",
      comment: "A service reaches another only over HTTP or the bus; import the contract instead.",
      from: { path: "^services/([^/]+)/" },
      to: { path: "^services/", pathNot: "^services/$1/" },
    },
    {
      name: "services-have-one-face",
      severity: "error",
      comment: "From outside, a service is its src/index.ts.",
      from: { pathNot: "^services/" },
      to: { path: "^services/", pathNot: "^services/[^/]+/src/index\\.ts$" },
    },
    {
      name: "libs-know-no-service",
      severity: "error",
      comment: "A library is used by services and knows none. What they share belongs in libs/contracts.",
      from: { path: "^libs/" },
      to: { path: "^(services|apps|tests|bench|tools)/" },
    },
    ...roomRules(outsideWorld),
    {
      name: "contracts-import-zod-only",
      severity: "error",
      comment: "Contracts are read by everyone, so they may drag nothing along.",
      from: { path: "^libs/contracts/src/" },
      to: { pathNot: ["^libs/contracts/src/", library("zod")] },
    },
    {
      name: "only-judge-providers-import-openai",
      severity: "error",
      comment: "A provider's answer is untrusted and dear; services/judge/src/providers is where that is dealt with.",
      from: { pathNot: "^services/judge/(src/providers/|test/)" },
      to: { path: library("openai") },
    },
    {
      name: "only-the-bus-imports-nats",
      severity: "error",
      comment: "Use libs/bus: it checks every message against its contract and knows what a missing answer means.",
      from: { pathNot: "^libs/bus/" },
      to: { path: library("@nats-io/[^/]+") },
    },
    {
      name: "only-the-database-library-imports-pg",
      severity: "error",
      comment: "Use libs/db: its pools take the right role and translate failures.",
      from: { pathNot: ["^libs/(db|testkit|embedded-servers)/", "^tools/deploy/", testCode] },
      to: { path: library("pg") },
    },
    {
      name: "black-box-tests-import-no-service",
      severity: "error",
      comment: "These suites see what a client sees. The integration tests may start apps/standalone.",
      from: { path: "^tests/([^/]+)/" },
      to: { path: "^(services|apps)/", pathNot: "^apps/standalone/" },
    },
    {
      name: "conformance-starts-nothing",
      severity: "error",
      comment: "The conformance suite runs against any deployment; starting one is not its business.",
      from: { path: "^tests/conformance/" },
      to: { path: "^apps/" },
    },
    {
      name: "browser-tests-write-in-projects-of-their-own",
      severity: "error",
      comment:
        "Read the sample project with readSample; createOwnProject gives a project to write in, with its client.",
      from: { path: "^tests/browser/specs/" },
      to: { path: "^tests/integration/src/client\\.ts$" },
    },
    {
      name: "no-test-code-in-production",
      severity: "error",
      comment: "libs/testkit, libs/service-tests and test folders are for tests.",
      from: { path: "^(services|libs|apps)/[^/]+/src/", pathNot: "^libs/(testkit|service-tests)/" },
      to: { path: ["^libs/(testkit|service-tests)/", "^(services|libs|apps)/[^/]+/test/", "^tests/"] },
    },
    {
      name: "no-development-package-in-production",
      severity: "error",
      comment: "The image is installed without development dependencies; list it under dependencies, or do without.",
      from: { path: "^(services|libs|apps)/[^/]+/src/", pathNot: "^libs/(testkit|service-tests)/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "services-bring-no-servers",
      severity: "error",
      comment:
        "A service is given addresses. The built-in servers belong to standalone and to tests, and are not in the image.",
      from: { path: "^(services/[^/]+|libs/(bus|contracts|db|service-kit|store-service))/src/" },
      to: { path: "^libs/embedded-servers/" },
    },
    {
      name: "packages-talk-http",
      severity: "error",
      comment: "A package is installed without this repository: it knows the API by its generated types alone.",
      from: { path: "^packages/([^/]+)/src/" },
      to: { path: "^(apps|libs|services|tests|tools)/|^packages/(?!$1/|sdk/)" },
    },
    {
      name: "dashboard-talks-http",
      severity: "error",
      comment: "The dashboard knows the API by its generated types alone.",
      from: { path: "^apps/dashboard/" },
      to: { path: "^(services|libs|tests|tools|apps/(?!dashboard/))" },
    },
    {
      name: "dashboard-features-are-islands",
      severity: "error",
      comment: "A feature imports api, ui, shell and blocks. What two features show belongs in blocks.",
      from: { path: "^apps/dashboard/src/([^/]+)/", pathNot: "^apps/dashboard/src/(api|ui|shell|blocks)/" },
      to: { path: "^apps/dashboard/src/[^/]+/", pathNot: "^apps/dashboard/src/($1|api|ui|shell|blocks)/" },
    },
    {
      name: "dashboard-layers",
      severity: "error",
      comment:
        "api imports none of the others, ui imports api, blocks and shell import both; none of them imports a feature.",
      from: { path: "^apps/dashboard/src/(api|ui)/" },
      to: { path: "^apps/dashboard/src/", pathNot: "^apps/dashboard/src/(api|ui)/" },
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "Files that need each other are one file, or need a third.",
      from: {},
      to: { circular: true },
    },
    {
      name: "imports-resolve",
      severity: "error",
      comment: "The package is not among the importer's dependencies, or the file does not exist.",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)node_modules/\\.vite" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
