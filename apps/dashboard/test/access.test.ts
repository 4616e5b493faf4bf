import { expect, test } from "vitest";
import { adminRequests } from "../src/api/access.gen.ts";

const texts = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** Where controls are whose request another file sends. */
const controlsOf: Record<string, readonly string[]> = {
  "traces/delete-trace.ts": ["traces/bulk-bar.tsx", "traces/peek-panel.tsx", "traces/trace-actions.tsx"],
  "settings/model-dialog.tsx": ["settings/models-tab.tsx", "settings/model-table.tsx"],
  "agents/webhook-editor.tsx": ["agents/webhook-editor.tsx", "agents/webhooks-tab.tsx"],
  "settings/connection-test.tsx": ["settings/models-tab.tsx", "settings/model-table.tsx"],
};

/** The requests that a file sends, such as `PUT /api/v1/agents`. */
function changesIn(text: string): string[] {
  return [...text.matchAll(/\b(?:api|accountApi)\s*\.(POST|PUT|PATCH|DELETE)\(\s*(?:"([^"]+)"|(\w+))/g)].map(
    ([, method, path, constant]) =>
      `${method} ${path ?? new RegExp(`const ${constant} = "([^"]+)"`).exec(text)?.[1] ?? constant}`,
  );
}

const files = Object.entries(texts).map(([path, text]) => ({ file: path.replace("../src/", ""), text }));

test("every control whose request only an owner or admin may send asks for the role of its user", () => {
  const sent = files.flatMap(({ file, text }) => changesIn(text).map((request) => ({ file, request })));
  expect(sent.length).toBeGreaterThan(70);
  expect(sent.filter(({ request }) => !request.includes(" /api/v1/"))).toEqual([]);
  const restricted = sent.filter(({ request }) => adminRequests.includes(request));
  expect(restricted.length).toBeGreaterThan(10);
  const asks = new Set(files.flatMap(({ file, text }) => (/\buseAdministers\(\)/.test(text) ? [file] : [])));
  const open = restricted.filter(({ file }) => !(controlsOf[file] ?? [file]).every((control) => asks.has(control)));
  expect(open).toEqual([]);
});
