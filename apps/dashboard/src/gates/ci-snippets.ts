/** Where a pipeline asks, with which key, and about which dataset. */
interface Place {
  address: string;
  apiKey: string;
  datasetId: string;
}

/** Ways to add a gate to a pipeline. `apiKey` is a secret: two of them name a variable instead. */
export const ciSnippets = [
  {
    key: "shell",
    label: "Shell",
    render: ({ address, apiKey, datasetId }: Place) => `api=${address}/api/v1/ingest/ci-runs
post() { curl -sf -X POST "$1" -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' -d "$2"; }

git="{\\"branch\\":\\"$(git branch --show-current)\\",\\"commit_sha\\":\\"$(git rev-parse HEAD)\\"}"
run=$(post $api "{\\"dataset_id\\":\\"${datasetId}\\",\\"git_context\\":$git}" | sed 's/.*"run_id":"\\([^"]*\\)".*/\\1/')

# One for each question; those that are not answered fail.
post $api/$run/results '{"question_index":0,"output":"What your agent answers"}'

# Ends with 1 when the gate fails.
post $api/$run/finalize '{}' | grep -q '"gate":"pass"'`,
  },
  {
    key: "github",
    label: "GitHub Actions",
    render: ({ address, datasetId }: Place) => `jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: your-organization/touchstone/deploy/ci@main
        with:
          url: ${address}
          api-key: \${{ secrets.TOUCHSTONE_API_KEY }}
          dataset-id: ${datasetId}
          command: node agent.mjs`,
  },
  {
    key: "gitlab",
    label: "GitLab CI",
    render: ({ address, datasetId }: Place) => `# With deploy/ci/gitlab-ci.yml and gate.mjs copied into ci/touchstone/,
# and TOUCHSTONE_API_KEY as a masked variable of the project.
include: ci/touchstone/gitlab-ci.yml
agent-gate:
  extends: .touchstone-gate
  variables:
    TOUCHSTONE_URL: ${address}
    TOUCHSTONE_DATASET_ID: ${datasetId}
    TOUCHSTONE_COMMAND: node agent.mjs`,
  },
] as const;

export type CiSnippet = (typeof ciSnippets)[number];
