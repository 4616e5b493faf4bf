/** Names of instrumentations begin with what they did. */
const operationPrefix =
  /^(?:invoke_agent|create_agent|invoke_workflow|execute_tool|chat|text_completion|generate_content|embeddings|retrieval) (?=\S)/;

const agentPrefix = /^(?:invoke_agent|create_agent|invoke_workflow) (?=\S)/;

/** The name of a span without the operation that instrumentations begin it with. */
export function withoutOperation(name: string): string {
  return name.replace(operationPrefix, "");
}

/** The same where the operation is the run of an agent: what a root is called. */
export function withoutAgentPrefix(name: string): string {
  return name.replace(agentPrefix, "");
}
