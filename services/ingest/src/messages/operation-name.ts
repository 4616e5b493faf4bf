/** Operations that instrumentations put at the start of span names. */
const operationPrefix =
  /^(?:invoke_agent|create_agent|invoke_workflow|execute_tool|chat|text_completion|generate_content|embeddings|retrieval) (?=\S)/;

const agentPrefix = /^(?:invoke_agent|create_agent|invoke_workflow) (?=\S)/;

/** The name of a span without its leading operation. */
export function withoutOperation(name: string): string {
  return name.replace(operationPrefix, "");
}

/** The same if the operation is an agent run: the name of a root. */
export function withoutAgentPrefix(name: string): string {
  return name.replace(agentPrefix, "");
}
