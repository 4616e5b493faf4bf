import { readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { repositoryRoot } from "../repository-files.ts";

/** A service of `deploy/compose.yaml`, as far as the tests need it. */
export interface ComposeService {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment: Record<string, string>;
  ports?: string[];
  networks: string[];
  volumes?: string[];
  read_only: boolean;
  mem_limit: string;
  cap_drop: string[];
  security_opt: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
}

/** Reads `deploy/compose.yaml` with merges done and variables unresolved. */
export async function readComposeFile(): Promise<ComposeFile> {
  const text = await readFile(path.join(repositoryRoot, "deploy/compose.yaml"), "utf8");
  return parse(text, { merge: true }) as ComposeFile;
}

/** The settings that Compose gives PostgreSQL on its command line. */
export function readPostgresSettings({ services }: ComposeFile): Record<string, string> {
  const words = services.postgres?.command ?? [];
  return Object.fromEntries(words.flatMap((word) => [...word.matchAll(/^--(\w+)=(.*)$/g)].map(([, ...pair]) => pair)));
}

/** Substitutes variables like Compose: `${NAME:?why}` must be set and not empty, `${NAME:-default}` may be missing. */
export function substitute(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(?::([?-])([^}]*))?\}|\$\$/g, (whole, name: string, kind: string, rest: string) => {
    if (whole === "$$") return "$";
    const value = variables[name] ?? "";
    if (value !== "") return value;
    if (kind === "?") throw new Error(`${name} is missing: ${rest}`);
    return kind === "-" ? rest : "";
  });
}

/** The `NAME=value` lines of an environment file. */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
