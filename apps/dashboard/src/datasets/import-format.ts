/** The formats of a file of cases, and their media types. */
export const importFormats = {
  csv: { label: "CSV", mediaType: "text/csv" },
  json: { label: "JSON", mediaType: "application/json" },
  jsonl: { label: "JSON Lines", mediaType: "application/x-ndjson" },
} as const;

export type ImportFormat = keyof typeof importFormats;

const extensions: Readonly<Record<string, ImportFormat>> = {
  csv: "csv",
  json: "json",
  jsonl: "jsonl",
  ndjson: "jsonl",
};

/**
 * The likely format of a text: by the file name, else by its beginning. Several objects of one line each are JSON
 * Lines.
 */
export function guessImportFormat(text: string, fileName?: string): ImportFormat {
  const extension = fileName?.toLowerCase().split(".").at(-1);
  const byName = extension === undefined ? undefined : extensions[extension];
  if (byName !== undefined) return byName;
  const start = text.trimStart()[0];
  if (start === "[") return "json";
  return start === "{" ? "jsonl" : "csv";
}

/** `Refund policy` for `refund_policy.csv`: a name for a dataset from this file. */
export function nameOfFile(fileName: string): string {
  const words = fileName
    .replace(/\.[a-z0-9]+$/i, "")
    .replaceAll(/[-_]+/g, " ")
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Rows as they are sent: the generated type knows only what they are as JSON. */
export function rowsBody({ text, format }: { text: string; format: ImportFormat }) {
  return {
    headers: { "content-type": importFormats[format].mediaType },
    body: text as never,
    bodySerializer: (rows: unknown) => rows as string,
  };
}
