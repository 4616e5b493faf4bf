import { type FileHandle, mkdir, open, writeFile } from "node:fs/promises";
import path from "node:path";
import { linesOf } from "../lines.ts";
import { Failure } from "../surroundings.ts";
import type { Held, Kind } from "./held.ts";

/** What an import is of. A journal is of one only. */
export interface Subject {
  /** The address of Langfuse, or the files. */
  source: string;
  target: string;
  from: string | null;
  /** Rows that came later are not part of it, so that pages stay where they are. */
  to: string;
}

/** What was done with a page once it is stored. */
export interface PageEntry {
  /** The list that the page is of. */
  stream: string;
  /** Where the next page begins; null is the end of the list. */
  next: string | null;
  /** The rows of the source, each with what tells it from others of its id. */
  rows: readonly { held: Held; scope: string }[];
  /** What the target refused. */
  refused: readonly Refusal[];
  /** Members that have no place. */
  lost: readonly Loss[];
  /** What ids of Langfuse stand for: of a dataset its name, of a run the id of ours. */
  names: Readonly<Record<string, string>>;
}

export interface Refusal {
  kind: Kind;
  id: string;
  message: string;
}

export interface Loss {
  member: string;
  id: string;
}

export interface Journal {
  readonly subject: Subject;
  /** Where a list goes on: undefined = it has not begun, null = it is complete. */
  position(stream: string): string | null | undefined;
  has(held: Held, scope: string): boolean;
  /** Every row of the source once, as it was read last. */
  rows(): Held[];
  rowsOf(kind: Kind): Held[];
  /** How many rows there are of each kind. */
  counts(): Partial<Record<Kind, number>>;
  /** See {@link PageEntry.names}. */
  readonly names: ReadonlyMap<string, string>;
  readonly refused: ReadonlyMap<string, { count: number; first: Refusal }>;
  readonly lost: ReadonlyMap<string, { count: number; id: string }>;
  /** Resolves when it is on the disk. */
  write(entry: PageEntry): Promise<void>;
  close(): Promise<void>;
}

type Line = { subject: Subject } | PageEntry;

const fileName = "journal.jsonl";

/**
 * Opens the journal of a folder, or begins one. Of an import that was killed it has every page that was stored, except
 * perhaps the last: storing that again changes nothing. Throws a Failure for the journal of another import.
 */
export async function openJournal(
  folder: string,
  subject: Omit<Subject, "to"> & { to: string | null },
  note: (text: string) => void,
): Promise<Journal> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  const file = path.join(folder, fileName);
  const handle = await open(file, "a+");
  const entries: PageEntry[] = [];
  let begun: Subject | null = null;
  for await (const text of linesOf(handle.createReadStream({ autoClose: false, start: 0 }))) {
    const line = readLine(text);
    if (line !== null && "subject" in line) begun = line.subject;
    else if (line !== null) entries.push(line);
  }
  const stated = { ...subject, to: subject.to ?? begun?.to ?? new Date().toISOString() };
  for (const member of ["source", "target", "from", "to"] as const) {
    if (begun === null || begun[member] === stated[member]) continue;
    throw new Failure(
      `${folder} is the journal of an import with another ${member}: ${begun[member]}. State another folder with --journal.`,
    );
  }
  // The last line is torn when the process was killed while it wrote.
  await handle.appendFile("\n");
  const journal = createJournal(stated, handle);
  if (begun === null) await append(handle, { subject: stated });
  for (const entry of entries) journal.take(entry);
  const going = begun === null ? "Run the same command again to go on after an interruption." : "The import goes on.";
  note(`The journal is in ${folder}. ${going}`);
  return journal;
}

function createJournal(subject: Subject, handle: FileHandle): Journal & { take(entry: PageEntry): void } {
  const positions = new Map<string, string | null>();
  const rows = new Map<string, Held>();
  const names = new Map<string, string>();
  const refused = new Map<string, { count: number; first: Refusal }>();
  const lost = new Map<string, { count: number; id: string }>();
  const take = (entry: PageEntry): void => {
    positions.set(entry.stream, entry.next);
    for (const { held, scope } of entry.rows) rows.set(keyOf(held, scope), held);
    for (const [id, name] of Object.entries(entry.names)) names.set(id, name);
    for (const refusal of entry.refused) {
      const key = `${refusal.kind}: ${refusal.message}`;
      refused.set(key, { first: refusal, ...refused.get(key), count: (refused.get(key)?.count ?? 0) + 1 });
    }
    for (const { member, id } of entry.lost) {
      lost.set(member, { id, ...lost.get(member), count: (lost.get(member)?.count ?? 0) + 1 });
    }
  };
  return {
    ...{ subject, names, refused, lost, take },
    position: (stream) => positions.get(stream),
    has: (held, scope) => rows.has(keyOf(held, scope)),
    rows: () => [...rows.values()],
    counts() {
      const counts: Partial<Record<Kind, number>> = {};
      for (const { kind } of rows.values()) counts[kind] = (counts[kind] ?? 0) + 1;
      return counts;
    },
    rowsOf: (kind) => [...rows.values()].filter((held) => held.kind === kind),
    async write(entry) {
      await append(handle, entry);
      take(entry);
    },
    close: () => handle.close(),
  };
}

const keyOf = ({ kind, id }: Held, scope: string): string => `${kind}\0${scope}\0${id}`;

async function append(handle: FileHandle, line: Line): Promise<void> {
  await handle.appendFile(`${JSON.stringify(line)}\n`);
  await handle.datasync();
}

function readLine(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Partial<PageEntry & { subject: Subject }> | null;
    return line !== null && ("subject" in line || Array.isArray(line.rows)) ? (line as Line) : null;
  } catch {
    return null;
  }
}

/** What was done with the rows of a page. */
export type Done = Omit<PageEntry, "stream" | "next">;

/** A {@link Done} that grows. */
export interface Doing {
  rows: Done["rows"][number][];
  refused: Refusal[];
  lost: Loss[];
  names: Record<string, string>;
}

export const newDone = (): Doing => ({ rows: [], refused: [], lost: [], names: {} });
