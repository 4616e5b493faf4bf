import { mkdir } from "node:fs/promises";
import path from "node:path";
import { EmbeddedServerError } from "../embedded-server-error.ts";
import type { TouchstoneHome } from "../home.ts";
import { launchOnFreePort } from "../launch-on-free-port.ts";
import { locatePostgres } from "../locate-binaries.ts";
import { launchPostgres } from "../postgres-server.ts";
import { chooseSharedBuffers, postgresSettings, readMemoryBytes } from "../postgres-settings.ts";
import type { ServerProcess } from "../server-process.ts";
import { stagePostgres } from "../stage-binaries.ts";
import { assertTrusted } from "../trusted-files.ts";
import { restoreCommand } from "./log-archive.ts";

/** A day: hours of log take as long as they took to write, or less. */
const replayedWithinMs = 86_400_000;

/** The log of a base backup, as the archive has it. */
export interface ArchivedLog {
  archive: string;
  /** The moment to end at; null = the end of the log. */
  until: Date | null;
  /** The first segment that is missing, if any. */
  gap: string | null;
}

/** Starts a restored server on its data. It is ready when it has replayed the log and takes writes; it archives nothing. */
export async function replayLog(
  home: TouchstoneHome,
  dataFolder: string,
  log: ArchivedLog,
): Promise<{ server: ServerProcess; port: number }> {
  const { servers } = home.folders;
  const binaries = await stagePostgres(await locatePostgres(), path.join(servers, "bin"));
  await assertTrusted(binaries, { root: servers });
  const settings = {
    ...postgresSettings,
    shared_buffers: chooseSharedBuffers(readMemoryBytes()),
    // Replayed log is kept beside the data until a restart point; this makes them more frequent.
    max_wal_size: "1GB",
    hot_standby: "off",
    restore_command: restoreCommand(log.archive),
    recovery_target_action: "promote",
    ...(log.until !== null && {
      // Not with a Z: no abbreviations of zones are loaded yet when the server reads its arguments.
      recovery_target_time: log.until.toISOString().replace("Z", "+00"),
      // It would read beyond the moment, where a segment may be damaged.
      recovery_prefetch: "off",
    }),
  };
  const logFile = path.join(servers, "logs", "postgres.log");
  await mkdir(path.dirname(logFile), { recursive: true, mode: 0o700 });
  const launch = (port: number): Promise<ServerProcess> =>
    launchPostgres({
      ...{ binaries, dataFolder, account: home.account, port, settings, logFile },
      readyTimeoutMs: replayedWithinMs,
      onSpawn: (pid) => home.guard("postgres", { pid, politeSignal: "INT", forcefulSignal: "QUIT" }),
      abort: home.closing,
    });
  return launchOnFreePort(launch, undefined).catch((error: unknown) => {
    throw explainReplay(error, log);
  });
}

/** A segment that the restore needs and the archive lacks. */
export function missingSegment(archive: string, segment: string): EmbeddedServerError {
  const file = path.join(archive, `${segment}.gz`);
  return new EmbeddedServerError("backup_damaged", `The archived log has a gap: ${file} is missing.`, {
    hint: "Copy the archive again from where it was made, or restore to a moment before the gap with --until.",
  });
}

/** The server's last words are the cause of its error. */
function explainReplay(error: unknown, { archive, until, gap }: ArchivedLog): unknown {
  const words = error instanceof EmbeddedServerError && error.cause instanceof Error ? error.cause.message : "";
  if (words.includes("could not restore file")) {
    return new EmbeddedServerError("backup_damaged", "A segment of the archived log is damaged.", {
      hint: "Copy the archive again from where it was made, or restore to a moment before it with --until.",
      cause: error,
    });
  }
  const isShort =
    words.includes("recovery ended before configured recovery target was reached") ||
    words.includes("WAL ends before end of online backup");
  if (isShort && gap !== null) return missingSegment(archive, gap);
  if (isShort && until !== null) {
    return new EmbeddedServerError(
      "backup_refused",
      `Nothing that was committed after ${until.toISOString()} is archived.`,
      {
        hint: "So the end of the log is not later: leave out --until to restore it, or name an earlier moment.",
        cause: error,
      },
    );
  }
  return error;
}
