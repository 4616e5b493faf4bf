import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createMetrics } from "@touchstone/service-kit";
import { expect, onTestFinished, test } from "vitest";
import { watchBackups } from "../src/backup/watch-backups.ts";

test("metrics show the age of the last backup, whether the log is archived, and both disks", async () => {
  const servers = await mkdtemp(path.join(tmpdir(), "touchstone-watch-"));
  onTestFinished(() => rm(servers, { recursive: true, force: true }));
  const before = createMetrics();
  watchBackups(servers, before);
  const none = await before.metrics();
  expect(none).toMatch(/^service_backup_age_seconds -1$/m);
  expect(none).toMatch(/^service_backup_log_archived 0$/m);
  expect(none).toMatch(/^service_disk_free_bytes\{disk="home"\} \d+$/m);
  expect(none).not.toContain('disk="backup"');

  const archive = path.join(servers, "wal");
  await mkdir(archive);
  await mkdir(path.join(servers, "backup"));
  await symlink(archive, path.join(servers, "backup", "archive"));
  const finishedAt = new Date(Date.now() - 3_600_000).toISOString();
  await writeFile(path.join(servers, "backup", "last.json"), JSON.stringify({ finishedAt }));
  const after = createMetrics();
  watchBackups(servers, after);
  const text = await after.metrics();
  expect(text).toMatch(/^service_backup_age_seconds 3[67]\d\d(\.\d+)?$/m);
  expect(text).toMatch(/^service_backup_log_archived 1$/m);
  expect(text).toMatch(/^service_disk_size_bytes\{disk="backup"\} \d+$/m);
});
