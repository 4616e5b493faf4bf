/** `npm run restore -- --from <folder>`: see docs/operating/backup.md. */
import { type Contents, restoreHome } from "@touchstone/embedded-servers";
import { UsageError } from "../options.ts";
import { keptTables, newestTrace, printNewestTrace, requireFolder, runCommand } from "./command.ts";

const usage = `Usage: npm run restore -- --from <folder> [--until <time>]

  --from    the folder of npm run backup
  --until   restore this moment, such as 2026-01-31T14:05:00Z (default: everything that was archived)

It restores into SERVICE_HOME, which must be empty or not exist.`;

await runCommand({
  usage,
  interrupted: "The restore was interrupted, and SERVICE_HOME is empty again.",
  options: { from: { type: "string" }, until: { type: "string" } },
  async run(given, home, signal) {
    const { base, now, losses } = await restoreHome({
      folder: home,
      from: requireFolder(given, "from"),
      until: readUntil(given.until),
      newestRow: newestTrace,
      keptTables,
      onProgress: (message) => console.log(message),
      signal,
    });
    printCounts(base.contents, now);
    printNewestTrace(now);
    for (const loss of losses) console.error(loss);
    if (losses.length > 0) {
      console.error("If that was not deleted after the backup, restore another one and keep this one for comparison.");
      return 1;
    }
    console.log(`Everything of the backup is there. Start Touchstone with SERVICE_HOME=${home}.`);
    return 0;
  },
});

function readUntil(given: string | boolean | undefined): Date | null {
  if (given === undefined) return null;
  const hasZone = typeof given === "string" && /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(given);
  const time = new Date(hasZone ? given : Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new UsageError("--until must be a time with its zone, such as 2026-01-31T14:05:00Z.");
}

/** The tables that hold something, in the backup and now. */
function printCounts(before: Contents, now: Contents): void {
  const names = [...new Set([...Object.keys(before.rows), ...Object.keys(now.rows)])].sort();
  const shown = names.filter((name) => before.rows[name] !== 0 || now.rows[name] !== 0);
  const width = Math.max(...shown.map((name) => name.length), 5);
  console.log(`${"Table".padEnd(width)}  ${"in the backup".padStart(13)}  ${"restored".padStart(13)}`);
  for (const name of shown) {
    const [was, is] = [before.rows[name] ?? "-", now.rows[name] ?? "-"];
    console.log(`${name.padEnd(width)}  ${String(was).padStart(13)}  ${String(is).padStart(13)}`);
  }
}
