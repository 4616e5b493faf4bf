// The rooms of each service, top-down, and what each may import of its own service. A room is a feature with its entry
// points (`routes.ts` for HTTP, `bus.ts` for events and requests), or a layer that several features use. Names are
// folders, or files of the root. Rooms of one kind never import one another; the root composes them. `*`: any of them.

const rooms = {
  ingest: {
    import: "otlp recording model",
    live: "traces pricing trace-store model",
    "span-updates": "otlp recording model",
    otlp: "recording messages model",
    "usage-metrics": "pricing model",
    judging: "trace-store model",
    sessions: "traces trace-store",
    traces: "recording pricing trace-store scores search agents model outbox",
    recording: "quota search model",
    settling: "trace-store assembly search agents background model",
    retention: "trace-store quota background outbox",
    pricing: "trace-store assembly model",
    quota: "trace-store model",
    export: "trace-store scores media agents model",
    "trace-store": "assembly search messages model",
    assembly: "messages model",
    search: "background model",
    scores: "messages model",
    media: "background",
    agents: "model",
    background: "",
    model: "messages",
    messages: "",
  },
  monitor: {
    "live-checks.ts": "*",
    "group-members": "patterns custom-evaluators judging ingest-client",
    patterns: "lists judging checks profiles traces model outbox ingest-client",
    "custom-evaluators": "lists judging checks verdicts profiles model outbox ingest-client",
    "live-scorers": "judging checks verdicts profiles dashboards traces model ingest-client",
    topics: "judging checks verdicts profiles model",
    judging: "checks model",
    checks: "traces model",
    verdicts: "traces model",
    export: "signals",
    signals: "webhooks profiles model ingest-client",
    webhooks: "model outbox",
    alerts: "model outbox",
    profiles: "outbox ingest-client",
    feedback: "model ingest-client",
    dashboards: "model ingest-client",
    traces: "model",
    lists: "",
    model: "",
  },
  "eval-runs": {
    "ci-runs": "gates runs results judging grading datasets queries json",
    "external-runs": "runs results judging grading datasets",
    gates: "runs results grading datasets statistics queries json ingest-client",
    analyses: "runs results grading json timings",
    rescoring: "runs results judging grading statistics",
    "trace-evaluation": "runs results judging grading graders datasets timings ingest-client",
    runs: "results judging grading graders datasets statistics queries json outbox",
    results: "judging grading statistics timings ingest-client",
    judging: "grading registries timings ingest-client",
    export: "graders",
    graders: "grading queries outbox",
    datasets: "grading queries json timings outbox ingest-client",
    registries: "queries outbox",
    grading: "",
    statistics: "",
    queries: "",
    json: "",
  },
  judge: {
    scoring: "verdicts scorers providers scheduling",
    verdicts: "prompting providers scheduling",
    scorers: "quota providers",
    writing: "prompting providers",
    prompting: "quota providers",
    quota: "providers",
    providers: "scheduling",
    scheduling: "",
  },
  dropin: {
    langfuse: "owner",
    mcp: "owner",
  },
  gateway: {
    grpc: "http ingest-health credentials limits metrics",
    pages: "http",
    operations: "http ingest-health metrics caller",
    http: "ingest-health credentials limits metrics caller",
    "ingest-health": "credentials",
    credentials: "caller",
    limits: "",
    metrics: "",
  },
  auth: {
    http: "*",
    projects: "organizations accounts audit project-keys",
    organizations: "accounts audit",
    accounts: "sign-in models provider-keys project-keys audit mail config",
    "sign-in": "config",
    models: "project-keys",
    "provider-keys": "project-keys",
    audit: "",
    mail: "",
    settings: "",
    "project-keys": "",
  },
};

/** Rooms that receive values and return values. */
const pureRooms = {
  ingest: ["model", "messages", "assembly", "otlp"],
  monitor: ["model", "patterns/matching", "patterns/builtin"],
  "eval-runs": ["grading", "judging", "statistics", "json"],
  judge: ["prompting", "scorers", "writing", "scoring", "scheduling"],
};

const isIn = (service, names) => names.map((name) => `^services/${service}/src/${name}(/|\\.ts$)`);

/** `outsideWorld` matches modules that talk to anything outside the process. */
const roomRules = (outsideWorld) =>
  Object.entries(rooms).flatMap(([service, own]) => [
    ...Object.entries(own)
      .filter(([, may]) => may !== "*")
      .map(([room, may]) => ({
        name: `rooms-of-${service}-${room}`,
        severity: "error",
        comment: `What ${room} may import is in tools/import-rules/rooms.cjs. What two rooms share belongs to the lower one.`,
        from: { path: `^services/${service}/src/${room}(/|$)` },
        to: {
          path: `^services/${service}/src/`,
          pathNot: isIn(service, [room, ...may.split(" ").filter(Boolean)]),
        },
      })),
    {
      name: `rooms-of-${service}-are-listed`,
      severity: "error",
      comment: "A folder of a service is a room: list it in tools/import-rules/rooms.cjs, with what it may import.",
      from: { path: `^services/${service}/src/[^/]+/`, pathNot: isIn(service, Object.keys(own)) },
      to: {},
    },
    {
      name: `root-of-${service}-is-on-top`,
      severity: "error",
      comment: "The root puts rooms together; a room that needs another is handed it.",
      from: { path: `^services/${service}/src/[^/]+/` },
      to: { path: `^services/${service}/src/(service|routes|main|live-checks)\\.ts$` },
    },
    ...(pureRooms[service] ?? []).slice(0, 1).map(() => ({
      name: `pure-rooms-of-${service}-know-no-database`,
      severity: "error",
      comment:
        "These rooms take values and return values. SQL and calls to others belong to the features that use them.",
      from: { path: pureRooms[service].map((room) => `^services/${service}/src/${room}/`) },
      to: { path: [outsideWorld, "^libs/(db|store-service)/"], dependencyTypesNot: ["type-only"] },
    })),
  ]);

module.exports = { rooms, pureRooms, roomRules };
