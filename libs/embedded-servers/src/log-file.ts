import { copyFile, mkdir, open, stat, truncate } from "node:fs/promises";
import path from "node:path";

const sizeMaxBytes = 10 * 1024 * 1024;

/** Some ten lines. Earlier ones concern other events. */
const endBytes = 1_500;

/**
 * Keeps a server's log below 10 MB, plus one older file of the same size. The server itself writes to the file in
 * append mode, so the file is copied and truncated instead of renamed.
 *
 * @returns a function that stops this.
 */
export async function limitLogFile(file: string): Promise<() => void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await rotate(file);
  const timer = setInterval(() => void rotate(file).catch(() => {}), 60_000);
  timer.unref();
  return () => clearInterval(timer);
}

async function rotate(file: string): Promise<void> {
  const size = await stat(file).then(
    (facts) => facts.size,
    () => 0,
  );
  if (size <= sizeMaxBytes) return;
  await copyFile(file, `${file}.1`);
  await truncate(file);
}

/** The end of a server's log, to explain its end; empty when it cannot be read. */
export async function readLogEnd(file: string): Promise<string> {
  try {
    const handle = await open(file, "r");
    try {
      const { size } = await handle.stat();
      const { buffer, bytesRead } = await handle.read({
        buffer: Buffer.alloc(endBytes),
        position: Math.max(0, size - endBytes),
      });
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return "";
  }
}
