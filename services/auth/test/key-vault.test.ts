import { expect, test } from "vitest";
import { createKeyVault } from "../src/project-keys/key-vault.ts";
import { createProjectKey } from "../src/project-keys/project-key.ts";

const rootSecret = "a root secret of the installation, long enough";
const projectId = "00000000-0000-7000-8000-000000000001";
const vault = createKeyVault(rootSecret);

test("a sealed key opens for its project, after a restart too, and holds no readable part of it", () => {
  const key = createProjectKey();
  const sealed = vault.seal(projectId, key);

  expect(createKeyVault(rootSecret).open(projectId, sealed)).toBe(key);
  expect(sealed.toString("latin1")).not.toContain(key.slice(4, 12));
  expect(vault.seal(projectId, key)).not.toEqual(sealed);
});

test("a sealed key opens neither for another project, nor under another root secret, nor when it is changed", () => {
  const sealed = vault.seal(projectId, createProjectKey());
  const changed = Buffer.from(sealed);
  changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;

  expect(() => vault.open("00000000-0000-7000-8000-000000000002", sealed)).toThrow();
  expect(() => createKeyVault(`${rootSecret}.`).open(projectId, sealed)).toThrow();
  expect(() => vault.open(projectId, changed)).toThrow();
  expect(() => vault.open(projectId, sealed.subarray(0, 20))).toThrow();
  expect(() => vault.open(projectId, Buffer.concat([Buffer.from([2]), sealed.subarray(1)]))).toThrow("version 2");
});

test("a fingerprint is the same on every replica and reveals nothing without the root secret", () => {
  const key = createProjectKey();

  expect(createKeyVault(rootSecret).fingerprint(key)).toEqual(vault.fingerprint(key));
  expect(createKeyVault(`${rootSecret}.`).fingerprint(key)).not.toEqual(vault.fingerprint(key));
});
