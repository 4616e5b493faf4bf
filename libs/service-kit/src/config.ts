import {
  clientSettings,
  Secret,
  type Setting,
  type SettingName,
  type SettingValues,
  settings,
  unsupportedSettings,
} from "@touchstone/contracts";
import { closest } from "fastest-levenshtein";

/** The environment as a process sees it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** All mistakes in the environment, one sentence each, by variable name. Values are never repeated. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(
      `The settings have ${mistakes.length === 1 ? "a mistake" : `${mistakes.length} mistakes`}:\n${mistakes.map((mistake) => `  - ${mistake}`).join("\n")}`,
    );
    this.mistakes = mistakes;
  }
}

/**
 * Reads the named settings. Throws one {@link ConfigError} that lists every mistake. Unknown `SERVICE_*` names are
 * returned as warnings with a did-you-mean, or as mistakes when `SERVICE_STRICT_CONFIG=true` (completions 1.7).
 */
export function loadSettings<Name extends SettingName>(
  names: readonly Name[],
  environment: Environment,
): { values: SettingValues<Name>; warnings: string[] } {
  const mistakes: string[] = [];
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const setting: Setting = settings[name];
    const text = environment[name];
    const parsed = setting.schema.safeParse(text === "" ? undefined : text);
    if (!parsed.success) mistakes.push(`${name}: ${parsed.error.issues[0]?.message ?? "is not valid"}`);
    else values[name] = setting.secret && typeof parsed.data === "string" ? new Secret(parsed.data) : parsed.data;
  }
  const warnings: string[] = [];
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith("SERVICE_") || text === "" || name in settings || clientSettings.includes(name)) continue;
    if (unsupportedSettings.includes(name)) {
      mistakes.push(`${name}: this version does not support it yet; remove it`);
      continue;
    }
    warnings.push(`${name}: no such setting; did you mean ${closest(name, Object.keys(settings))}?`);
  }
  if (environment.SERVICE_STRICT_CONFIG === "true") mistakes.push(...warnings.splice(0));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return { values: values as SettingValues<Name>, warnings };
}

/**
 * Requires values that have no default. Each entry is a value and the variable (or variables) it comes from; all
 * missing ones are thrown together as one {@link ConfigError}.
 */
export function requireSettings<Wanted extends Record<string, readonly [value: unknown, variable: string]>>(
  wanted: Wanted,
): { [Key in keyof Wanted]: Exclude<Wanted[Key][0], undefined> } {
  const missing = Object.values(wanted).flatMap(([value, variable]) =>
    value === undefined ? [`${variable}: is needed`] : [],
  );
  if (missing.length > 0) throw new ConfigError(missing);
  return Object.fromEntries(Object.entries(wanted).map(([key, [value]]) => [key, value])) as never;
}

/** The URL with the password of the setting `variable`, if it is set. A URL that has one is then a mistake. */
export function addPassword(url: Secret, password: Secret | undefined, variable: SettingName): Secret {
  if (password === undefined) return url;
  const whole = new URL(url.reveal());
  if (whole.password !== "" || whole.searchParams.has("password")) {
    throw new ConfigError([`${variable}: the URL contains a password, too; remove one of them`]);
  }
  whole.password = encodeURIComponent(password.reveal());
  if (whole.password === "") throw new ConfigError([`${variable}: the URL names no host; put the password into it`]);
  return new Secret(whole.href);
}

/** Reads `name=value,name=value` with percent-encoded values, as settings hold it. Names are in lower case. */
export function readHeaderList(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim().toLowerCase(), decodeURIComponent(value.join("=").trim())];
    }),
  );
}
