import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { EmbeddedServerError } from "./embedded-server-error.ts";

/**
 * The account of the servers when Touchstone itself runs as root: PostgreSQL refuses to run as root, and `nobody` is
 * shared with other programs, which could then read the data. The number lies in the one range below 65536 (so that it
 * exists inside user namespaces too) that neither Debian's static ids nor systemd's dynamic ones use.
 */
export const dedicatedUid = 61_047;

/** The account of the servers. */
export interface ServerAccount {
  uid: number;
  gid: number;
  /**
   * The user of `initdb`, always with the group `gid`. It requires a user name that the system knows, which the
   * dedicated one may lack; the cluster is handed over to `uid` before it is used.
   */
  initdbUid: number;
}

/**
 * The account that the servers must be switched to, or null when they run as the user who started Touchstone (anyone
 * but root). `uid` replaces the dedicated number, for machines where that one is taken.
 */
export async function chooseServerAccount({
  uid = dedicatedUid,
}: {
  uid?: number | undefined;
} = {}): Promise<ServerAccount | null> {
  if (process.getuid?.() !== 0) return null;
  if (!Number.isInteger(uid) || uid < 1 || uid >= 65_534) {
    throw new EmbeddedServerError("account_unavailable", `User id ${uid} cannot run the embedded servers.`, {
      hint: "Choose a number from 1 to 65533 that no other user has.",
    });
  }
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  return { uid, gid: uid, initdbUid: chooseInitdbUid(passwd, uid) };
}

/** The dedicated user itself where /etc/passwd names it, otherwise `nobody`. */
export function chooseInitdbUid(passwd: string, uid: number): number {
  const users = passwd.split("\n").map((line) => {
    const [name, , id] = line.split(":");
    return { name, uid: Number(id) };
  });
  const known =
    users.find((user) => user.uid === uid) ?? users.find((user) => user.name === "nobody" && user.uid !== 0);
  if (known) return known.uid;
  throw new EmbeddedServerError(
    "account_unavailable",
    "PostgreSQL cannot be set up as root, and /etc/passwd names no other user for it.",
    {
      hint: `Add a line for user id ${uid} to /etc/passwd, run Touchstone as an ordinary user, or set SERVICE_DB_URL.`,
    },
  );
}

/** Whether the account may traverse every folder down to and including `folder`. The folder must exist. */
export async function canEnter(folder: string, account: ServerAccount): Promise<boolean> {
  const absolute = path.resolve(folder);
  const steps = absolute.split(path.sep).map((_, index, parts) => parts.slice(0, index + 1).join(path.sep) || path.sep);
  for (const step of steps) {
    const { mode, uid, gid } = await stat(step);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
  }
  return true;
}
