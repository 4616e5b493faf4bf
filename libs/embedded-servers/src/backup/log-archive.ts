import { chmod, lchown, mkdir, readdir, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import path from "node:path";

/** Segments of 16 MB that wait for an archive that cannot be written: 4 GB, as much as PostgreSQL keeps anyway. */
const waitingSegmentsMax = 256;
/** Less when the disk of the data has no more room than this: half a gigabyte. */
const freeKilobytesMin = 524_288;

/**
 * Runs as the servers' account in the data folder. It does nothing until a backup makes the link. A segment appears under
 * its name when it is complete and on disk; one that is there already is compared, because PostgreSQL may ask again
 * after a crash. An archive that stays unreachable is given up before the log fills the disk of the data: a backup can
 * be made again, and a full disk ends the installation.
 */
const archiveCommand = `
archive=../backup/archive
test -L $archive || exit 0
if test -f $archive/%f.gz
then gzip -dc $archive/%f.gz | cmp -s - %p && exit 0
else gzip -1 < %p > $archive/%f.part && sync $archive/%f.part && mv $archive/%f.part $archive/%f.gz && sync $archive && exit 0
fi
test $(ls pg_wal/archive_status | grep -c ready) -lt ${waitingSegmentsMax} &&
  test $(df --output=avail -k pg_wal | tail -n 1) -ge ${freeKilobytesMin} && exit 1
echo The archive of the log cannot be written and is given up. Make a new backup. >&2
rm -f $archive`.trim();

/** The size of a segment of the log. */
export const segmentBytes = 16_777_216n;

/** Settings of a server whose log is archived as soon as a backup starts an archive, without a restart. */
export const archiveSettings: Readonly<Record<string, string>> = {
  archive_mode: "on",
  archive_command: archiveCommand,
};

/**
 * How a server reads the archived log. A missing segment is the end of the log; a damaged one (126) ends the recovery
 * with an error, because data after it would be missing silently.
 */
export function restoreCommand(archive: string): string {
  const file = `'${archive.replaceAll("'", "'\\''").replaceAll("%", "%%")}'/%f.gz`;
  return `test -f ${file} || exit 1; gzip -dc ${file} > %p || exit 126`;
}

/** What a home knows of its backups: the link to the archive, and when the last one ended. */
export function backupState(servers: string): { folder: string; link: string; last: string } {
  const folder = path.join(servers, "backup");
  return { folder, link: path.join(folder, "archive"), last: path.join(folder, "last.json") };
}

/** The folder that the log is archived in, or null when it is not. */
export async function readArchive(servers: string): Promise<string | null> {
  return readlink(backupState(servers).link).catch(() => null);
}

/** When the last backup of a running or stopped home ended; null before the first one and after `endBackups`. */
export async function readLastBackup(servers: string): Promise<{ finishedAt: string } | null> {
  const text = await readFile(backupState(servers).last, "utf8").catch(() => null);
  return text === null ? null : (JSON.parse(text) as { finishedAt: string });
}

/** Lets the server archive its log in an existing folder, from the segment it writes now. */
export async function startArchive(servers: string, archive: string, owner: { uid: number; gid: number }) {
  const { folder, link } = backupState(servers);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  // The server removes the link when it gives the archive up.
  await lchown(folder, owner.uid, owner.gid);
  await rm(`${link}.new`, { force: true });
  await symlink(archive, `${link}.new`);
  await rename(`${link}.new`, link);
}

export async function endArchive(servers: string): Promise<void> {
  const { link, last } = backupState(servers);
  for (const file of [link, `${link}.new`, last]) await rm(file, { force: true });
}

/** The names of the archived segments, oldest first. */
export async function listSegments(archive: string): Promise<string[]> {
  const names = await readdir(archive);
  return names
    .filter((name) => /^[0-9A-F]{24}\.gz$/.test(name))
    .map((name) => name.slice(0, 24))
    .sort();
}

/** The segment after this one, on the same timeline. */
function nextSegment(segment: string): string {
  return nameSegment(
    segment.slice(0, 8),
    (BigInt(`0x${segment.slice(8, 16)}`) << 8n) + BigInt(`0x${segment.slice(16)}`) + 1n,
  );
}

function nameSegment(timeline: string, number: bigint): string {
  const half = (value: bigint): string => value.toString(16).toUpperCase().padStart(8, "0");
  return `${timeline}${half(number >> 8n)}${half(number & 0xffn)}`;
}

/**
 * The last segment that a recovery read, from the history of the timeline that it began: its last line names the timeline
 * before, and the place of the log where that ended.
 */
export function readReachedSegment(history: string): string {
  const [timeline = "", place = ""] = history.trim().split("\n").at(-1)?.split("\t") ?? [];
  const [high = "0", low = "0"] = place.split("/");
  const end = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
  return nameSegment(Number(timeline).toString(16).toUpperCase().padStart(8, "0"), (end - 1n) / segmentBytes);
}

/** The first segment that is missing between the given one and the last one of the archive, or null. */
export function findGap(segments: readonly string[], first: string): string | null {
  let wanted = first;
  const later = segments.filter((segment) => segment >= first);
  for (const segment of later) {
    if (segment !== wanted) return wanted;
    wanted = nextSegment(segment);
  }
  return later.length === 0 ? first : null;
}

/** Removes the archived log before a segment, which the oldest backup needs. */
export async function removeSegmentsBefore(archive: string, first: string): Promise<void> {
  for (const name of await readdir(archive)) {
    if (/^[0-9A-F]{24}/.test(name) && name.slice(0, 24) < first) await rm(path.join(archive, name), { force: true });
  }
}
