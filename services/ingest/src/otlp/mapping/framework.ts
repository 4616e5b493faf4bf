import { limits } from "@touchstone/contracts/limits";
import { cleanText } from "./clean-text.ts";
import { readText } from "./read-source.ts";
import { frameworkSources, scopeFrameworks } from "./sources.ts";
import type { SpanFacts } from "./span-facts.ts";

/**
 * The platform of a span, trimmed and lowercased: as stated, else known by its scope, else the provider, scope or
 * service it names (otlp 5.3, framework). Never null.
 */
export function readFramework(facts: SpanFacts): string {
  const scopeName = facts.scope.name.trim().toLowerCase();
  const service = facts.resource.attributes.get("service.name");
  const named = [
    readText(facts, ["touchstone.framework", { resource: "touchstone.framework" }]),
    scopeFrameworks.find(([pattern]) => pattern.test(scopeName))?.[1],
    readText(facts, frameworkSources),
    scopeName,
    typeof service === "string" ? service.trim() : "",
  ];
  const framework = named.find((name) => name !== null && name !== undefined && name !== "") ?? "otel";
  return cleanText(framework.toLowerCase(), limits.frameworkMaxChars);
}
