import * as contracts from "@touchstone/contracts";
import type { SourceText } from "./source-text.ts";

/**
 * Compares the users of a bus message with its contract: the service that answers or publishes it, and those that ask
 * or consume. Code names a message by its contract's export, never by its subject. Returns one sentence per difference.
 */
export function findBusUse(code: readonly SourceText[]): string[] {
  return contracts.busMessages.flatMap((message) => {
    const name = Object.entries(contracts).find(([, exported]) => exported === message)?.[0];
    if (name === undefined) return [`${message.subject} is not exported by libs/contracts.`];
    const stated: readonly string[] =
      message.kind === "request"
        ? [message.answeredBy, ...message.askedBy]
        : [message.publishedBy, ...message.consumedBy];
    const word = new RegExp(`\\b${name}\\b`);
    const found = new Set(code.filter(({ text }) => word.test(text)).map(({ path }) => path.split("/")[1] ?? ""));
    return [
      ...stated.filter((service) => !found.has(service)).map((service) => `${service} never uses ${name}.`),
      ...[...found]
        .filter((service) => !stated.includes(service))
        .map((service) => `${service} uses ${name}, but its contract does not say so.`),
      ...code
        .filter(({ text }) => text.includes(`"${message.subject}"`))
        .map(({ path }) => `${path} writes "${message.subject}": use ${name}.subject.`),
    ];
  });
}
