import type { DemoClient } from "../demo-client.ts";

const prompts = "/custom-agent-evaluations/prompts";

/** The versions of a prompt, the oldest first; each takes its labels from the earlier ones. */
interface DemoPrompt {
  name: string;
  tags: readonly string[];
  versions: readonly {
    commitMessage: string;
    labels?: readonly string[];
    text?: string;
    messages?: readonly { role: string; content: string }[];
    config?: object;
  }[];
}

const config = { model: "gpt-4o-mini", temperature: 0.2 };
const question = { role: "user", content: "{{question}}" };

const demoPrompts: readonly DemoPrompt[] = [
  {
    name: "refund-agent",
    tags: ["support"],
    versions: [
      {
        commitMessage: "First version",
        messages: [{ role: "system", content: "You answer questions about refunds of {{shop}}." }, question],
        config,
      },
      {
        commitMessage: "Name the deadline",
        labels: ["production"],
        messages: [
          {
            role: "system",
            content: "You answer questions about refunds of {{shop}}. Always name the deadline in days.",
          },
          question,
        ],
        config,
      },
      {
        commitMessage: "Ask for the order when it is missing",
        labels: ["staging"],
        messages: [
          {
            role: "system",
            content:
              "You answer questions about refunds of {{shop}}. Always name the deadline in days. If the order number is missing, ask for it first.",
          },
          question,
        ],
        config: { ...config, temperature: 0 },
      },
    ],
  },
  {
    name: "summarize-ticket",
    tags: ["support", "internal"],
    versions: [
      {
        commitMessage: "First version",
        labels: ["production"],
        text: "Summarize the ticket below in two sentences, for a colleague who takes over.\n\n{{ticket}}",
      },
    ],
  },
];

/** Publishes the sample's prompts. A prompt whose name exists is unchanged. */
export async function loadPrompts(client: DemoClient): Promise<void> {
  const { prompts: known } = await client.call<{ prompts: { name: string }[] }>("GET", prompts);
  for (const { name, tags, versions } of demoPrompts) {
    if (known.some((one) => one.name === name)) continue;
    for (const { messages, ...version } of versions) {
      const content = messages === undefined ? { type: "text" } : { type: "chat", messages };
      await client.call("POST", prompts, { name, tags, ...content, ...version });
    }
  }
}
