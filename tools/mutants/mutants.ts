/** A seeded bug and the test that must detect it. */
export interface Mutant {
  name: string;
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
  test: { project: "unit" | "infra"; file: string; name: string };
}

/** Each is a plausible mistake. */
export const mutants: readonly Mutant[] = [
  {
    name: "an identity is accepted for any path",
    file: "libs/service-kit/src/internal-identity.ts",
    find: "stated.method === request.method && stated.path === request.path ? stated : null",
    replace: "stated.method === request.method ? stated : null",
    test: {
      project: "unit",
      file: "libs/service-kit/test/internal-identity.test.ts",
      name: "an identity is refused for another path, another method and another audience",
    },
  },
  {
    name: "an identity never expires",
    file: "libs/service-kit/src/internal-identity.ts",
    find: "if (ageMs > lifetimeMs) return null;",
    replace: "",
    test: {
      project: "unit",
      file: "libs/service-kit/test/internal-identity.test.ts",
      name: "an identity expires after thirty seconds",
    },
  },
  {
    name: "requests act as the schema's owner",
    file: "libs/db/src/schema-migrations.ts",
    find: "_app`,",
    replace: "_owner`,",
    test: {
      project: "infra",
      file: "libs/db/test/schema-migrations.infra.test.ts",
      name: "a scoped transaction sees and writes the rows of its projects only",
    },
  },
  {
    name: "a span whose identity is taken is stored again",
    file: "services/ingest/src/trace-store/writing/span-insert.ts",
    find: "where dk is null or id in (select id from claimed)",
    replace: "where true",
    test: {
      project: "infra",
      file: "services/ingest/test/postgres-trace-store.infra.test.ts",
      name: "a replayed span stores nothing and answers with the first trace, also when it differs",
    },
  },
  {
    name: "a new root is announced to nobody",
    file: "services/ingest/src/trace-store/writing/span-insert.ts",
    find: "from new_roots\n    group by event_part",
    replace: "from new_roots\n    where false group by event_part",
    test: {
      project: "infra",
      file: "services/ingest/test/postgres-trace-store.infra.test.ts",
      name: "new roots are announced, and neither children nor replays are",
    },
  },
  {
    name: "the total counts children",
    file: "services/ingest/src/trace-store/writing/span-insert.ts",
    find: "where is_root and (id in (select id from stored)) is true",
    replace: "where (id in (select id from stored)) is true",
    test: {
      project: "infra",
      file: "services/ingest/test/postgres-trace-store.infra.test.ts",
      name: "a child is not listed, one whose parent lives elsewhere is",
    },
  },
  {
    name: "a trace is read whatever its project",
    file: "services/ingest/src/trace-store/reading/span-select.ts",
    find: "      where project_id = $1 and id = $2\n",
    replace: "      where $1::uuid is not null and id = $2\n",
    test: {
      project: "infra",
      file: "services/ingest/test/postgres-trace-store.infra.test.ts",
      name: "a project sees nothing of another's",
    },
  },
  {
    name: "what the store refused is acknowledged",
    file: "services/ingest/src/recording/batch-commit.ts",
    find: "answer(waiting, () => waiting.reject(error));",
    replace: "answer(waiting, () => waiting.resolve(undefined as never));",
    test: {
      project: "unit",
      file: "services/ingest/test/group-commit.test.ts",
      name: "each waiter is answered exactly once, only committed jobs are acknowledged, and no limit is exceeded",
    },
  },
  {
    name: "the queue has no bound",
    file: "services/ingest/src/recording/queue-room.ts",
    find: "return rowShare.obstacleTo(tenant, size.rows) ?? byteShare.obstacleTo(tenant, size.bytes);",
    replace: "return null;",
    test: {
      project: "unit",
      file: "services/ingest/test/group-commit.test.ts",
      name: "refuses jobs beyond the limits of rows and bytes, and accepts them once there is space",
    },
  },
  {
    name: "a revoked key works until it is forgotten",
    file: "services/gateway/src/credentials/key-cache.ts",
    find: 'owner !== null && (projectIds === "all" || projectIds.includes(owner.projectId)),',
    replace: "owner === null,",
    test: {
      project: "unit",
      file: "services/gateway/test/key-cache.test.ts",
      name: "a revoked key stops working at once",
    },
  },
  {
    name: "a client may state its own identity",
    file: "services/gateway/src/http/proxy.ts",
    find: "const proxiedHeaders = [\n",
    replace: 'const proxiedHeaders = [\n  "x-touchstone-identity",\n  "x-api-key",\n',
    test: {
      project: "unit",
      file: "services/gateway/test/edge.test.ts",
      name: "neither an identity nor a key that a client sends is passed on to the owner",
    },
  },
  {
    name: "any key rotates any project's key",
    file: "services/auth/src/http/projects.ts",
    find: "if (userId === null && own !== null && own !== call.params.projectId) throw projectNotFound();",
    replace: "",
    test: {
      project: "infra",
      file: "services/auth/test/auth-service.infra.test.ts",
      name: "another project's key, a missing project and a malformed id rotate nothing",
    },
  },
  {
    name: "variants move the average",
    file: "services/eval-runs/src/statistics/result-tally.ts",
    find: "const originals = tallies.filter((tally) => !tally.isVariant);",
    replace: "const originals = tallies;",
    test: {
      project: "unit",
      file: "services/eval-runs/test/statistics.test.ts",
      name: "leave variants out of everything but the number of results",
    },
  },
  {
    name: "a rating may leave the scale",
    file: "services/judge/src/verdicts/parse-verdict.ts",
    find: "return Math.min(limits.ratingMax, Math.max(limits.ratingMin, value)) + 0;",
    replace: "return value;",
    test: {
      project: "unit",
      file: "services/judge/test/verdicts/parse-verdict.test.ts",
      name: "any number is clamped, at any position in the object and with any surroundings",
    },
  },
  {
    name: "an outbox row is removed before it is published",
    file: "libs/bus/src/outbox-relay.ts",
    find: "const sent = (await Promise.all(parcels.map(send))).flat();",
    replace:
      "await store.settle(rows.map(({ id }) => ({ id, store: '', sequence: 0 }))); const sent = (await Promise.all(parcels.map(send))).flat();",
    test: {
      project: "unit",
      file: "libs/bus/test/outbox-relay.test.ts",
      name: "keeps every row while the bus is unavailable, logs it once, and publishes all when it is back",
    },
  },
  {
    name: "a run that is being finalized takes results",
    file: "services/eval-runs/src/results/claim-store.ts",
    find: "      and closing_as is null\n",
    replace: "",
    test: {
      project: "infra",
      file: "services/eval-runs/test/claim-store.infra.test.ts",
      name: "a run that is in_progress and closing as completed takes claims: false",
    },
  },
  {
    name: "a key that cannot be checked is refused",
    file: "services/gateway/src/credentials/key-cache.ts",
    find: 'throw new AppError("service_unavailable", "Keys cannot be checked at the moment; retry.", { cause });',
    replace: "if (cause) return null; throw new AppError('service_unavailable', '');",
    test: {
      project: "unit",
      file: "services/gateway/test/key-cache.test.ts",
      name: "without auth a key that was never seen is 503, not 401",
    },
  },
  {
    name: "every prompt has the same fence",
    file: "services/judge/src/prompting/fence.ts",
    find: '.digest("hex").slice(0, 32);',
    replace: '.digest("hex").replace(/.*/, "0123456789abcdef0123456789abcdef");',
    test: {
      project: "unit",
      file: "services/judge/test/verdicts/assemble-prompt.test.ts",
      name: "is another one for any other text, label or installation",
    },
  },
  {
    name: "a member that died is waited for",
    file: "libs/bus/src/timings.ts",
    find: "silentAfterMs: 4_000,",
    replace: "silentAfterMs: 60_000,",
    test: {
      project: "infra",
      file: "libs/bus/test/bus-contract-requests.infra.test.ts",
      name: "killed during a request is noticed within five seconds and another takes over, under the same request id",
    },
  },
  {
    name: "a migration that was edited is passed over",
    file: "libs/db/src/schema-migrations.ts",
    find: "known.has(name) && known.get(name) !== sha256",
    replace: "known.has(name) && sha256 === null",
    test: {
      project: "infra",
      file: "libs/db/test/schema-migrations.infra.test.ts",
      name: "a migration edited after it ran refuses the start",
    },
  },
  {
    name: "a log line holds what a library hung on an error",
    file: "libs/service-kit/src/logger.ts",
    find: "    type: thrown.name,",
    replace: "    ...thrown,\n    type: thrown.name,",
    test: {
      project: "unit",
      file: "libs/service-kit/test/logger.test.ts",
      name: "of an error its message, code and causes are logged, and nothing that a library attached to it",
    },
  },
  {
    name: "tokens of a parent and of its children are added up",
    file: "services/ingest/src/assembly/roll-tokens.ts",
    find: "return combine(left, right, Math.max);",
    replace: "return combine(left, right, (one, other) => one + other);",
    test: {
      project: "unit",
      file: "services/ingest/test/trees/derive-trace.test.ts",
      name: "of a root that repeats its last step are those of all steps",
    },
  },
  {
    name: "siblings are taken in the order they came in",
    file: "services/ingest/src/assembly/tree.ts",
    find: "const ordered = yield* sortInSlices([...bySpanId.values()], byStart);",
    replace: "const ordered = [...bySpanId.values()];",
    test: {
      project: "unit",
      file: "services/ingest/test/trees/derive-trace.test.ts",
      name: "any trees, in any order, derive to the same",
    },
  },
  {
    name: "a deleted trace stays counted",
    file: "services/ingest/src/trace-store/removing/trace-removal.ts",
    find: "$3::smallint, -count(*)",
    replace: "$3::smallint, 0",
    test: {
      project: "infra",
      file: "services/ingest/test/deletion.infra.test.ts",
      name: "removes an OTel trace with all its spans, whichever is named",
    },
  },
  {
    name: "a live tail begins with what was there before",
    file: "services/ingest/src/live/trace-stream.ts",
    find: "preceded: (xid) => beginning !== null",
    replace: "preceded: (xid) => false && beginning !== null",
    test: {
      project: "infra",
      file: "services/ingest/test/live-tail.infra.test.ts",
      name: "during a long transaction a reader receives nothing that was committed before it connected",
    },
  },
  {
    name: "a run forgets the plan it was created with",
    file: "services/eval-runs/src/runs/gradings.ts",
    find: "if (stored.plan === null) return",
    replace: "if (stored.plan !== null) return",
    test: {
      project: "infra",
      file: "services/eval-runs/test/graded-runs.infra.test.ts",
      name: "ends as it began, whatever becomes of them",
    },
  },
  {
    name: "a run goes on when its scorer group is gone",
    file: "services/eval-runs/src/runs/submit-results.ts",
    find: "if (run.scorerGroupId !== null && !",
    replace: "if (run.scorerGroupId === null && !",
    test: {
      project: "infra",
      file: "services/eval-runs/test/graded-runs.infra.test.ts",
      name: "refuses results once the group is gone, and stores nothing",
    },
  },
  {
    name: "a failed result costs only the primary judge",
    file: "services/eval-runs/src/runs/run-counter.ts",
    find: 'status === "failed" ? 0 : ',
    replace: "",
    test: {
      project: "unit",
      file: "services/eval-runs/test/scorer-breakdown.test.ts",
      name: "a failed result is 0 for every judge",
    },
  },
  {
    name: "graders of a project are changed at the same time",
    file: "services/eval-runs/src/graders/live-scorer-store.ts",
    find: "\"select pg_advisory_xact_lock(hashtextextended('touchstone graders ' || $1, 0))\"",
    replace: "\"select 'touchstone graders ' || $1\"",
    test: {
      project: "infra",
      file: "services/eval-runs/test/grading-configs.infra.test.ts",
      name: "is there at the first look, once, however many look",
    },
  },
  {
    name: "what a project deleted is given again",
    file: "services/eval-runs/src/graders/seed-store.ts",
    find: "from evals.seeded_content",
    replace: "from evals.grading_configs",
    test: {
      project: "infra",
      file: "services/eval-runs/test/grading-configs.infra.test.ts",
      name: "stays deleted where it was deleted, also for a replica that starts later",
    },
  },
  {
    name: "a result is stored whoever holds its claim",
    file: "services/eval-runs/src/results/claim-store.ts",
    find: "                  and holder = $3\n                  and key_digest in (select key_digest from finished)",
    replace:
      "                  and holder = coalesce(holder, $3)\n                  and key_digest in (select key_digest from finished)",
    test: {
      project: "infra",
      file: "services/eval-runs/test/leases.infra.test.ts",
      name: "that another instance took over: the late judgement is no error but a duplicate",
    },
  },
  {
    name: "a judge call is sent before it is paid for",
    file: "services/judge/src/providers/openai-provider.ts",
    find: 'if (operation !== "embeddings") await options.reserveCall(call);',
    replace: 'if (operation !== "embeddings") options.reserveCall(call).catch(() => undefined);',
    test: {
      project: "unit",
      file: "services/judge/test/providers/reservations.test.ts",
      name: "or nothing is sent, which is neither repeated nor counted as a failure of the provider",
    },
  },
  {
    name: "a must-pass member that is not passed changes nothing",
    file: "services/judge/src/scoring/aggregate.ts",
    find: "goodness < gatePassMin",
    replace: "goodness < 0",
    test: {
      project: "unit",
      file: "services/judge/test/scoring/aggregate.test.ts",
      name: "names the must-pass member that set it to 0, the first of several",
    },
  },
  {
    name: "a provider's answer is read however long it is",
    file: "services/judge/src/providers/capped-fetch.ts",
    find: "if (bytes > replyMaxBytes) throw tooLarge();",
    replace: "",
    test: {
      project: "unit",
      file: "services/judge/test/providers/failures.test.ts",
      name: "is cut off and not asked for again",
    },
  },
];
