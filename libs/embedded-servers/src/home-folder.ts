import { randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, readdir, readlink, realpath, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { EmbeddedServerError } from "./embedded-server-error.ts";
import { lockFileName } from "./home-lock.ts";
import { canEnter, type ServerAccount } from "./server-account.ts";

/** Root's folder for data of services. It also holds the servers of a home that their account cannot enter. */
const systemFolder = "/var/lib/touchstone";

/** The home when SERVICE_HOME is not set: `~/.touchstone`; for root a folder that the servers' account can enter. */
export function defaultHome(): string {
  return process.getuid?.() === 0 ? systemFolder : path.join(homedir(), ".touchstone");
}

export interface HomeFolders {
  /** The folder of SERVICE_HOME, without symbolic links. */
  home: string;
  /** The folder of binaries and data: the home itself, unless the servers' account cannot enter it. */
  servers: string;
}

/**
 * Creates the home if it is missing, and checks that only we can change its contents. A home that the servers' account
 * cannot enter (below /root, which has mode 0700) holds only the secrets; binaries and data are then in a folder below
 * `elsewhere`, and the link `servers` in the home points there. After deleting such a home, the next start begins from
 * scratch.
 */
export async function prepareHomeFolders({
  folder,
  account,
  elsewhere = systemFolder,
  onProgress,
}: {
  folder: string;
  account: ServerAccount | null;
  elsewhere?: string | undefined;
  onProgress: (message: string) => void;
}): Promise<HomeFolders> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const home = await realpath(folder);
  await closeToOthers(home);
  await mkdir(path.join(home, "secrets"), { mode: 0o700, recursive: true });
  if (account === null) return { home, servers: home };

  const link = path.join(home, "servers");
  const target = await readlink(link).catch(() => null);
  if (target !== null) {
    const servers = await realpath(link).catch(() => null);
    if (servers !== null) return { home, servers };
    throw new EmbeddedServerError("home_not_usable", `The data of ${home} should be in ${target}, which is gone.`, {
      hint: `Restore it, or delete ${link} to begin with an empty database.`,
    });
  }
  if (await openToAccount(home, account)) return { home, servers: home };
  if ((await readdir(home)).includes("postgres")) {
    // Starting from scratch elsewhere would look as if all data were lost.
    throw new EmbeddedServerError(
      "home_not_usable",
      `The servers' user (id ${account.uid}) cannot enter ${home}, though it holds their data.`,
      {
        hint: `Let everyone enter the folders above it (chmod o+x), or move it to ${systemFolder}.`,
      },
    );
  }
  // As every later start finds it: PostgreSQL and the system name its folder without links.
  const servers = await realpath(await makeFolderElsewhere({ home, elsewhere, account }));
  await symlink(servers, link);
  onProgress(`The servers' user (id ${account.uid}) cannot enter ${home}, so their data are in ${servers}.`);
  return { home, servers };
}

async function closeToOthers(home: string): Promise<void> {
  const { uid, mode } = await lstat(home);
  const self = process.getuid?.();
  if (uid !== self) {
    throw new EmbeddedServerError(
      "home_not_usable",
      `${home} belongs to user ${uid}, but Touchstone runs as user ${self}.`,
      {
        hint: "Start Touchstone as the owner of the folder, or set SERVICE_HOME to another one.",
      },
    );
  }
  if ((mode & 0o022) === 0) return;
  if (!(await isOurs(home))) {
    throw new EmbeddedServerError("home_not_usable", `${home} can be changed by other users.`, {
      hint: `Run: chmod go-w ${home}, or set SERVICE_HOME to another folder.`,
    });
  }
  await chmod(home, mode & 0o755);
}

/** Lets the account through the home itself if only that is missing and the folder has no other use. */
async function openToAccount(home: string, account: ServerAccount): Promise<boolean> {
  if (await canEnter(home, account)) return true;
  if (!(await canEnter(path.dirname(home), account)) || !(await isOurs(home))) return false;
  await chown(home, 0, account.gid);
  await chmod(home, 0o710);
  return true;
}

/** Whether the folder contains only files of a home, so that we may set its mode. */
async function isOurs(home: string): Promise<boolean> {
  const names = await readdir(home);
  return (
    names.includes(lockFileName) || names.every((name) => ["secrets", "postgres", "nats", "dashboard"].includes(name))
  );
}

async function makeFolderElsewhere({
  home,
  elsewhere,
  account,
}: {
  home: string;
  elsewhere: string;
  account: ServerAccount;
}): Promise<string> {
  const folder = path.join(elsewhere, "homes", randomBytes(8).toString("hex"));
  const failure = (cause: unknown) =>
    new EmbeddedServerError(
      "home_not_usable",
      `The servers' user (id ${account.uid}) cannot enter ${home}, nor ${elsewhere}.`,
      {
        hint: "Set SERVICE_HOME to a folder that everyone may enter, or start Touchstone as an ordinary user.",
        cause,
      },
    );
  try {
    const firstMade = await mkdir(folder, { recursive: true });
    // Explicitly, because a strict umask would deny them to the account.
    for (let made = folder; made.length >= (firstMade ?? folder).length; made = path.dirname(made))
      await chmod(made, 0o711);
  } catch (error) {
    throw failure(error);
  }
  if (!(await canEnter(folder, account))) throw failure(undefined);
  return folder;
}
