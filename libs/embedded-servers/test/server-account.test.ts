import { chmod, mkdir } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { canEnter, chooseInitdbUid, chooseServerAccount, dedicatedUid } from "../src/server-account.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const passwd = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n";

test("initdb runs as the servers' user where the system knows it, else as nobody", () => {
  expect(chooseInitdbUid(passwd, 61_047)).toBe(65_534);
  expect(chooseInitdbUid(`${passwd}touchstone:x:61047:61047::/:/bin/false\n`, 61_047)).toBe(61_047);
});

test("a system without nobody gets a sentence, never root", () => {
  expect(() => chooseInitdbUid("root:x:0:0:root:/root:/bin/sh\n", 61_047)).toThrow(/names no other user/);
  expect(() => chooseInitdbUid("root:x:0:0::/:/bin/sh\nnobody:x:0:0::/:/bin/sh\n", 61_047)).toThrow(
    /names no other user/,
  );
  expect(() => chooseInitdbUid("", 61_047)).toThrow(/names no other user/);
});

test("servers that root starts run as the dedicated account, never root or nobody; others run as the user who starts them", async () => {
  if (process.getuid?.() !== 0) {
    expect(await chooseServerAccount()).toBeNull();
    return;
  }
  expect(await chooseServerAccount()).toMatchObject({ uid: dedicatedUid, gid: dedicatedUid });
  for (const uid of [0, -1, 1.5, 65_534, Number.NaN]) {
    await expect(chooseServerAccount({ uid })).rejects.toMatchObject({ code: "account_unavailable" });
  }
});

test("a folder can be entered only when every folder above it can", async () => {
  const folder = await temporaryFolder();
  const inner = path.join(folder, "inner");
  await mkdir(inner, { mode: 0o755 });
  const stranger = { uid: 61_047, gid: 61_047, initdbUid: 61_047 };
  await chmod(folder, 0o711);
  expect(await canEnter(inner, stranger)).toBe(true);
  await chmod(folder, 0o700);
  expect(await canEnter(inner, stranger)).toBe(false);
  const owner = { uid: process.getuid?.() ?? 0, gid: 61_047, initdbUid: 61_047 };
  expect(await canEnter(inner, owner)).toBe(true);
});
