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
      for (const [index, version] of versions.entries()) {
        const row = new Row(await source.get(path, { version, resolve: "false" }));
        done.rows.push({ held: promptHeld(row, index + 1), scope: "" });
        done.lost.push(...lossesOf("prompt", row, `${name} ${version}`));
        if (version !== index + 1)
          done.lost.push({ member: "prompt.version, which is another number here", id: `${name} ${version}` });
        const stored = await target.find(`${path}?version=${index + 1}`);
        if (stored !== null && contentOf(new Row(stored)) === contentOf(row)) continue;
        const labels = ((row.value("labels") ?? []) as string[]).filter((label) => label !== "latest");
        const body = objectText({
          ...row.take(["name", "type", "prompt", "config", "tags", "commitMessage"]),
          labels: JSON.stringify(labels),
        });
        const id = `${name} ${version}`;
        if (stored !== null)
          done.refused.push({ kind: "prompt", id, message: "Touchstone has another text under this version." });
        else await orRefused(() => target.post("/v2/prompts", body), { done, kind: "prompt", id });
      }
    }
    return done;
  };
}

/** A version of a prompt, of either side. */
export function promptHeld(row: Row, version: number): Held {
  const name = row.text("name") ?? "";
  return { kind: "prompt", id: `${name} ${version}`, group: name, numbers: [fingerprint(contentOf(row))] };
}

function contentOf(row: Row): string {
  return JSON.stringify([row.value("type") ?? "text", row.value("prompt"), row.value("config") ?? {}]);
}
