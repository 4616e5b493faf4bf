import { clientSettings, type Setting, settings, unsupportedSettings } from "@touchstone/contracts";
import { z } from "zod";
import { markdownTable } from "./markdown-table.ts";

/**
 * `docs/operating/settings.md`: every environment variable with its default, its values and its readers. `readers` maps
 * a setting's name to the services that read it.
 */
export function renderSettingsPage(readers: ReadonlyMap<string, readonly string[]>): string {
  const rows = Object.entries<Setting>(settings).map(([name, setting]) => [
    `\`${name}\``,
    defaultOf(setting),
    valuesOf(setting),
    setting.description + (setting.secret ? " **Secret.**" : ""),
    (readers.get(name) ?? []).join(", "),
  ]);
  return `# Settings

Everything is set through environment variables. An empty value counts as unset. With an invalid value a process does not
start, and it lists every mistake at once. An unknown \`SERVICE_*\` name causes a warning that suggests the right name; with
\`SERVICE_STRICT_CONFIG=true\` it is a mistake too. Secrets never appear in logs, events, errors or metrics.

${markdownTable(["Name", "Default", "Values", "Meaning", "Read by"], rows)}

## Names of clients

These names belong to clients. In the environment of a service they are ignored, without a warning:
${list(clientSettings)}.

## Not supported yet

If one of these is set, a process does not start, so that a setting is never silently ignored.

${unsupportedSettings.map((name) => `- \`${name}\``).join("\n")}
`;
}

function defaultOf({ schema, secret }: Setting): string {
  const parsed = schema.safeParse(undefined);
  if (!parsed.success || parsed.data === undefined || secret) return "";
  if (Array.isArray(parsed.data)) return parsed.data.length === 0 ? "" : `\`${parsed.data.join(",")}\``;
  return `\`${String(parsed.data)}\``;
}

function valuesOf({ schema }: Setting): string {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const choices = json.enum ?? (json.const === undefined ? [] : [json.const]);
  if (choices.length > 0) return choices.map((choice) => `\`${String(choice)}\``).join(", ");
  if (json.type !== "integer" && json.type !== "number") return "";
  const low = json.minimum ?? (typeof json.exclusiveMinimum === "number" ? json.exclusiveMinimum + 1 : undefined);
  const high = json.maximum === Number.MAX_SAFE_INTEGER ? undefined : json.maximum;
  if (low !== undefined && high !== undefined) return `${low} to ${high}`;
  return low === undefined ? "a number" : `${low} or more`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
