/** `npm run backup -- --to <folder>`: see docs/operating/backup.md. */
import { backUpHome, endBackups } from "@touchstone/embedded-servers";
import { UsageError } from "../options.ts";
import { newestTrace, printNewestTrace, requireFolder, runCommand } from "./command.ts";

const usage = `Usage: npm run backup -- --to <folder> [--keep <number>]
       npm run backup -- --end

  --to     back up the running standalone of SERVICE_HOME into this folder, and archive its log there from now on
  --keep   keep this many backups, and delete older ones with their log (default: all)
  --end    archive the log no longer; the backups stay`;

await runCommand({
  usage,
  interrupted: "The backup was interrupted. Nothing was backed up; earlier backups are as they were.",
  options: { to: { type: "string" }, keep: { type: "string" }, end: { type: "boolean" } },
  async run(given, home, signal) {
    const { to, keep, end } = given;
    if (end === true) {
      if (to !== undefined || keep !== undefined) throw new UsageError("--end is used alone.");
      const folder = await endBackups(home, signal);
      console.log(folder === null ? "The log is not archived." : `The log is no longer archived in ${folder}.`);
      return 0;
    }
    const { folder, base, hasRootSecret } = await backUpHome({
      folder: home,
      to: requireFolder(given, "to"),
      keep: readKeep(keep),
      newestRow: newestTrace,
      onProgress: (message) => console.log(message),
      signal,
    });
    const counts = Object.values(base.contents.rows);
    console.log(`Backed up ${(base.bytes / 1e6).toFixed(0)} MB to ${folder}.`);
    console.log(`${counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)} rows in ${counts.length} tables.`);
    printNewestTrace(base.contents);
    if (!hasRootSecret) {
      console.log("A backup does not hold SERVICE_INTERNAL_SECRET if you set it yourself. Keep a copy of it.");
    }
    console.log("From now on the log is archived, within a minute; restore to any later moment with npm run restore.");
    return 0;
  },
});

function readKeep(given: string | boolean | undefined): number | null {
  if (given === undefined) return null;
  if (typeof given === "string" && /^[1-9]\d{0,3}$/.test(given)) return Number(given);
  throw new UsageError("--keep must be a number from 1 to 9999.");
}
