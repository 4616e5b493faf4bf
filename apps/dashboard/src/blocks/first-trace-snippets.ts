export interface Snippet {
  key: "curl" | "otel" | "python" | "node";
  label: string;
  render(place: { address: string; apiKey: string }): string;
}

/** Ways to send a first trace, each complete: a copied command works unchanged. */
export const snippets: readonly Snippet[] = [
  {
    key: "curl",
    label: "curl",
    render: ({ address, apiKey }) => `curl -X POST ${address}/api/v1/ingest/traces \\
  -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' \\
  -d '{"name":"weather-agent","input":"How is the weather in Paris?","output":"Sunny, 18 degrees."}'`,
  },
  {
    key: "otel",
    label: "OpenTelemetry",
    render: ({ address, apiKey }) => `# Any OpenTelemetry SDK or collector:
export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${address}/api/v1/otel/v1/traces
export OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${apiKey}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`,
  },
  {
    key: "python",
    label: "Python",
    render: ({ address, apiKey }) => `import json, urllib.request

trace = {"name": "weather-agent", "input": "How is the weather in Paris?", "output": "Sunny, 18 degrees."}
request = urllib.request.Request(
    "${address}/api/v1/ingest/traces",
    data=json.dumps(trace).encode(),
    headers={"x-api-key": "${apiKey}", "content-type": "application/json"},
)
print(urllib.request.urlopen(request).read().decode())`,
  },
  {
    key: "node",
    label: "Node.js",
    render: ({ address, apiKey }) => `const answer = await fetch("${address}/api/v1/ingest/traces", {
  method: "POST",
  headers: { "x-api-key": "${apiKey}", "content-type": "application/json" },
  body: JSON.stringify({ name: "weather-agent", input: "How is the weather in Paris?", output: "Sunny, 18 degrees." }),
});
process.stdout.write(await answer.text());`,
  },
];
