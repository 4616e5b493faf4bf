import { fingerprint, type Held } from "./held.ts";
import { newDone } from "./journal.ts";
import { lossesOf } from "./losses.ts";
import { objectText } from "./raw-json.ts";
import { Row } from "./row.ts";
import type { LangfuseSource } from "./source.ts";
import { orRefused, type Store, type Stores } from "./store.ts";
import type { Target } from "./target.ts";

/**
 * Prompts with their versions, the oldest first. A version that is there with the same content is not sent again; its
 * labels and tags become those of Langfuse.
 */
export function storePrompts({ target }: Stores, source: LangfuseSource): Store {
  return async ({ rows }) => {
    const done = newDone();
    for (const meta of rows) {
      const name = meta.text("name") ?? "";
      const path = `/v2/prompts/${encodeURIComponent(name)}`;
      const versions = ((meta.value("versions") ?? []) as number[]).toSorted((one, other) => one - other);
      let number = 0;
      const marks: Held[] = [];
      let tags: Held[] = [];
      for await (const { row, version, labels, repeats } of distinctVersions(source, path, versions)) {
        number += 1;
        const id = `${name} ${version}`;
        done.rows.push({ held: promptHeld(row, number), scope: "" });
        done.lost.push(...lossesOf("prompt", row, id));
        if (version !== number) done.lost.push({ member: "prompt.version, which is another number here", id });
        for (const repeat of repeats)
          done.lost.push({ member: "prompt.version, which repeats the one before", id: `${name} ${repeat}` });
        const found = await target.find(`${path}?version=${number}`);
        const stored = found === null ? null : new Row(found);
        if (stored !== null && contentOf(stored) !== contentOf(row))
          done.refused.push({ kind: "prompt", id, message: "Touchstone has another text under this version." });
        else {
          const sent = { row, labels, stored, versionPath: `${path}/versions/${number}` };
          await orRefused(() => storeVersion(target, sent), { done, kind: "prompt", id });
        }
        marks.push(...labelsHeld(name, number, labels));
        tags = tagsHeld(row);
      }
      done.rows.push(...[...marks, ...tags].map((held) => ({ held, scope: "" })));
    }
    return done;
  };
}

interface SentVersion {
  row: Row;
  labels: readonly string[];
  /** The same version at the target; null: it has none. */
  stored: Row | null;
  versionPath: string;
}

/** Publishes a version, or moves the labels and replaces the tags of one that is there. The answer is JSON. */
async function storeVersion(target: Target, { row, labels, stored, versionPath }: SentVersion): Promise<string> {
  const moved = labels.filter((label) => stored === null || !labelsOf(stored).includes(label));
  // The newest version published again stays the same, and takes the tags.
  const isTaggedAnew = stored !== null && isNewest(stored) && tagsOf(stored).join() !== tagsOf(row).join();
  if (stored === null || isTaggedAnew) {
    const members = row.take(["name", "type", "prompt", "config", "tags", "commitMessage"]);
    return target.post("/v2/prompts", objectText({ ...members, labels: JSON.stringify(moved) }));
  }
  return moved.length === 0 ? "{}" : target.patch(versionPath, JSON.stringify({ newLabels: moved }));
}

interface DistinctVersion {
  row: Row;
  version: number;
  /** Its own, and those of its repeats. */
  labels: string[];
  /** The versions after it with the same content, of which Touchstone makes none. */
  repeats: number[];
}

/** The versions of a prompt whose content differs from that of the one before. */
async function* distinctVersions(
  source: LangfuseSource,
  path: string,
  versions: readonly number[],
): AsyncGenerator<DistinctVersion> {
  let last: DistinctVersion | null = null;
  for (const version of versions) {
    const row = new Row(await source.get(path, { version, resolve: "false" }));
    const labels = labelsOf(row);
    if (last !== null && contentOf(last.row) === contentOf(row)) {
      last.labels.push(...labels);
      last.repeats.push(version);
      continue;
    }
    if (last !== null) yield last;
    last = { row, version, labels, repeats: [] };
  }
  if (last !== null) yield last;
}

/** A version of a prompt, of either side. */
export function promptHeld(row: Row, version: number): Held {
  const name = row.text("name") ?? "";
  const text = contentOf(row) + (row.text("commitMessage") ?? "");
  return { kind: "prompt", id: `${name} ${version}`, group: name, numbers: [fingerprint(text)] };
}

/** Labels of a version of a prompt, each with the version. */
export function labelsHeld(name: string, version: number, labels: readonly string[]): Held[] {
  return labels.map((label) => ({ kind: "prompt label", id: `${name} ${label}`, group: name, numbers: [version] }));
}

/** The tags of a prompt, of either side; all versions have the same. */
export function tagsHeld(row: Row): Held[] {
  const name = row.text("name") ?? "";
  return tagsOf(row).map((tag) => ({ kind: "prompt label", id: `${name}, tag ${tag}`, group: name, numbers: [null] }));
}

/** The labels of a version, of either side, without the one that follows from the others. */
export const labelsOf = (row: Row): string[] => allLabelsOf(row).filter((label) => label !== "latest");

const allLabelsOf = (row: Row): string[] => (row.value("labels") ?? []) as string[];

const tagsOf = (row: Row): string[] => (row.value("tags") ?? []) as string[];

const isNewest = (row: Row): boolean => allLabelsOf(row).includes("latest");

function contentOf(row: Row): string {
  return JSON.stringify([row.value("type") ?? "text", row.value("prompt"), row.value("config") ?? {}]);
}
