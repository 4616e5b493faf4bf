import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take half a minute and more, the longest first. If one of them started last, it would keep a worker busy
 * while the others are idle; on a fresh clone vitest knows only their sizes, which do not help.
 */
const longFiles = [
  "tests/browser/specs/every-page.test.ts",
  "tests/browser/specs/accounts.test.ts",
  "tests/browser/specs/mails-and-providers.test.ts",
  "tests/browser/specs/first-minute.test.ts",
  "tests/integration/specs/tenant-isolation.test.ts",
  "tests/attack/specs/all-at-once.test.ts",
  "tests/chaos/specs/killed-processes.test.ts",
  "libs/embedded-servers/test/backup.infra.test.ts",
  "tests/integration/specs/standalone.test.ts",
  "tests/integration/specs/backup.test.ts",
  "tests/integration/specs/cli-import-langfuse.test.ts",
  "tests/integration/specs/langfuse-python.test.ts",
  "tools/build-dashboard.test.ts",
  "libs/store-service/test/event-store.infra.test.ts",
  "tests/chaos/specs/providers-in-trouble.test.ts",
  "tests/chaos/specs/bus-in-trouble.test.ts",
  "tests/chaos/specs/postgres-in-trouble.test.ts",
  "tests/chaos/specs/random-schedules.test.ts",
  "tests/chaos/specs/standalone.test.ts",
  "tests/chaos/specs/project-deletion.test.ts",
  "libs/embedded-servers/test/postgres.infra.test.ts",
  "tests/conformance/specs/conformance.test.ts",
  "libs/embedded-servers/test/home.infra.test.ts",
  "tests/integration/specs/sdk-and-cli.test.ts",
  "tests/integration/specs/servers-away.test.ts",
  "tests/integration/specs/trace-to-graded-run.test.ts",
  "tests/integration/specs/own-traces.test.ts",
  "services/auth/test/accounts.infra.test.ts",
  "tests/integration/specs/demo.test.ts",
  "libs/embedded-servers/test/killed-parent.infra.test.ts",
  "tests/integration/specs/multi-tenant.test.ts",
  "libs/bus/test/bus-contract-requests.infra.test.ts",
  "tests/integration/specs/session-changes.test.ts",
  "tests/integration/specs/replicas.test.ts",
  "tests/integration/specs/migrate.test.ts",
  "services/ingest/test/traces.infra.test.ts",
  "services/eval-runs/test/judge-faults.infra.test.ts",
  "services/gateway/test/keys.infra.test.ts",
  "libs/bus/test/bus-cluster.infra.test.ts",
  "tests/integration/specs/pipeline-gate.test.ts",
  "libs/embedded-servers/test/nats.infra.test.ts",
  "services/ingest/test/export-faults.infra.test.ts",
  "services/ingest/test/postgres-trace-store.infra.test.ts",
  "libs/embedded-servers/test/supervision.infra.test.ts",
  "services/auth/test/provider-sign-in.infra.test.ts",
  "services/gateway/test/rate-limits.infra.test.ts",
];

/** The order of vitest, except for the long files, which come first. Groups of projects still follow one another. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longFiles.findIndex((file) => moduleId.endsWith(`/${file}`));
      return index < 0 ? longFiles.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
