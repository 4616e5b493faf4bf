import { readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createSecret, readSecret } from "../src/secret-file.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("a secret is 32 random bytes that only we may read, and reads back as written", async () => {
  const folder = await temporaryFolder();
  const file = path.join(folder, "secret");
  expect(await readSecret(file)).toBeNull();
  const secret = await createSecret(file);
  expect(Buffer.from(secret, "base64url")).toHaveLength(32);
  expect(await readSecret(file)).toBe(secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["secret"]);
  expect(await createSecret(file)).not.toBe(secret);
});

test("an empty secret is an error, never an empty password", async () => {
  const file = path.join(await temporaryFolder(), "secret");
  await writeFile(file, "\n");
  await expect(readSecret(file)).rejects.toMatchObject({ code: "home_not_usable" });
});
