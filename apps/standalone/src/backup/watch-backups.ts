import { statfs } from "node:fs/promises";
import { readArchive, readLastBackup } from "@touchstone/embedded-servers";
import { createGauge, createScrapeReading, type Metrics, systemClock } from "@touchstone/service-kit";

/** Metrics of the backups of the built-in PostgreSQL, and of the disks that hold it and them. */
export function watchBackups(servers: string, metrics: Metrics): void {
  const clock = systemClock;
  createGauge(metrics, "service_backup_age_seconds", async (gauge) => {
    const last = await readLastBackup(servers);
    gauge.set(last === null ? -1 : Math.max(0, (clock.now() - Date.parse(last.finishedAt)) / 1_000));
  });
  createGauge(metrics, "service_backup_log_archived", async (gauge) =>
    gauge.set((await readArchive(servers)) === null ? 0 : 1),
  );
  // A disk in the network that does not answer holds a thread; one at a time, and no scrape waits for it.
  const disks = {
    home: createScrapeReading({ clock, read: () => statfs(servers) }),
    backup: createScrapeReading({
      clock,
      async read() {
        const archive = await readArchive(servers);
        return archive === null ? null : statfs(archive);
      },
    }),
  };
  for (const [name, blocks] of [
    ["service_disk_free_bytes", "bavail"],
    ["service_disk_size_bytes", "blocks"],
  ] as const) {
    createGauge(metrics, name, async (gauge) => {
      gauge.reset();
      for (const [disk, read] of Object.entries(disks)) {
        const size = await read();
        if (size !== null) gauge.set({ disk }, size[blocks] * size.bsize);
      }
    });
  }
}
