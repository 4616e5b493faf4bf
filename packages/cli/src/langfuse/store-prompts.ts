import { fingerprint, type Held } from "./held.ts";
import { newDone } from "./journal.ts";
import { lossesOf } from "./losses.ts";
import { objectText } from "./raw-json.ts";
import { Row } from "./row.ts";
import type { LangfuseSource } from "./source.ts";
import { orRefused, type Store, type Stores } from "./store.ts";

/** Prompts with their versions, the oldest first. A version that is there with the same content is not sent again. */
export function storePrompts({ target }: Stores, source: LangfuseSource): Store {
  return async ({ rows }) => {
    const done = newDone();
    for (const meta of rows) {
      const name = meta.text("name") ?? "";
      const path = `/v2/prompts/${encodeURIComponent(name)}`;
      const versions = ((meta.value("versions") ?? []) as number[]).toSorted((one, other) => one - other);
      let number = 0;
      for await (const { row, version, labels, repeats } of distinctVersions(source, path, versions)) {
        number += 1;
        const id = `${name} ${version}`;
        done.rows.push({ held: promptHeld(row, number), scope: "" });
        done.lost.push(...lossesOf("prompt", row, id));
        if (version !== number) done.lost.push({ member: "prompt.version, which is another number here", id });
        for (const repeat of repeats)
          done.lost.push({ member: "prompt.version, which repeats the one before", id: `${name} ${repeat}` });
        const stored = await target.find(`${path}?version=${number}`);
        if (stored !== null && contentOf(new Row(stored)) === contentOf(row)) continue;
        const body = objectText({
          ...row.take(["name", "type", "prompt", "config", "tags", "commitMessage"]),
          labels: JSON.stringify(labels),
        });
        if (stored !== null)
          done.refused.push({ kind: "prompt", id, message: "Touchstone has another text under this version." });
        else await orRefused(() => target.post("/v2/prompts", body), { done, kind: "prompt", id });
      }
    }
    return done;
  };
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
    const labels = ((row.value("labels") ?? []) as string[]).filter((label) => label !== "latest");
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
  return { kind: "prompt", id: `${name} ${version}`, group: name, numbers: [fingerprint(contentOf(row))] };
}

function contentOf(row: Row): string {
  return JSON.stringify([row.value("type") ?? "text", row.value("prompt"), row.value("config") ?? {}]);
}
