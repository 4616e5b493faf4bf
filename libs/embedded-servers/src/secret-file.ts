import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { EmbeddedServerError } from "./embedded-server-error.ts";

/** The secret in a file, created if there is none yet. */
export async function openSecret(file: string): Promise<string> {
  return (await readSecret(file)) ?? (await createSecret(file));
}

/** The secret in a file that only we may read (mode 0600), or null when there is no such file. */
export async function readSecret(file: string): Promise<string | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const secret = text.trim();
  if (secret !== "") return secret;
  throw new EmbeddedServerError("home_not_usable", `${file} is empty.`, {
    hint: "Restore it from a backup of SERVICE_HOME.",
  });
}

/** Creates a secret of 32 random bytes (base64url) and returns once it is completely on disk. */
export async function createSecret(file: string): Promise<string> {
  const secret = randomBytes(32).toString("base64url");
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(`${secret}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    const folder = await open(path.dirname(file), "r");
    await folder.sync().finally(() => folder.close());
  } finally {
    await rm(temporary, { force: true });
  }
  return secret;
}
