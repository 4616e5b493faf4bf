/** Commands that create a dataset, run one case of it and request the verdict. They run unchanged, in one shell. */
export function firstRunCommands({ address, apiKey }: { address: string; apiKey: string }): string {
  return `api=${address}/api/v1/custom-agent-evaluations
post() { curl -s -X POST "$1" -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' -d "$2"; }
id() { sed 's/.*"_id":"\\([^"]*\\)".*/\\1/'; }

dataset=$(post $api/datasets '{"name":"Weather","rougeScore":{"enabled":true},"questions":[
  {"main_question":{"query":"How is the weather in Paris?","expectedResults":"It is sunny, 18 degrees."}}]}' | id)

run=$(post $api/runs "{\\"datasetId\\":\\"$dataset\\"}" | id)

post $api/runs/$run/results '{"batchId":"1","results":[
  {"idempotencyKey":"case-0:run-1","questionIndex":0,"output":{"text":"Sunny, 18 degrees."}}]}'

post $api/runs/$run/finalize '{}'`;
}
