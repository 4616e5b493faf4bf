import { hash } from "node:crypto";

const style = `:root{color-scheme:light dark;--ink:#171b22;--soft:#4b5563;--canvas:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e8ecf2;--soft:#aab4c2;--canvas:#0f1217}}
body{margin:20vh auto;max-width:36rem;padding:0 1rem;font:15px/1.5 system-ui,sans-serif;background:var(--canvas);color:var(--ink)}
h1{font-size:20px}p,pre{color:var(--soft)}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.5 monospace}`;

/** Only for these pages: they load nothing, and their style is inline. */
const contentSecurityPolicy = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A placeholder page for the dashboard, with its headers. */
export interface WaitingPage {
  html: string;
  headers: Readonly<Record<string, string>>;
}

/** Shows that the dashboard is being built, and reloads every second. */
export const buildingPage: WaitingPage = renderPage(
  "The dashboard is being built",
  "<p>This takes a few seconds after an installation or an upgrade. The page reloads itself. The API works already.</p>",
  { reloadSeconds: 1 },
);

/** Shows why there is no dashboard. It reloads now and then: the next start of the server builds it again. */
export function failedPage(reason: string): WaitingPage {
  return renderPage(
    "The dashboard could not be built",
    `<p>The API works. Start Touchstone again to build it once more. The reason is in the log, too:</p><pre>${escapeHtml(reason.slice(0, 2_000))}</pre>`,
    { reloadSeconds: 10 },
  );
}

function renderPage(title: string, body: string, { reloadSeconds }: { reloadSeconds: number }): WaitingPage {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta http-equiv="refresh" content="${reloadSeconds}"><title>${title} - Touchstone</title><style>${style}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>\n`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy,
    "cache-control": "no-store",
    "retry-after": String(reloadSeconds),
  };
  return { html, headers };
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] as string);
}
