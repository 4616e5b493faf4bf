/** Invalid CSV. The message names the position, and is shown to the client. */
export class CsvError extends Error {}

/**
 * The records of a CSV text (RFC 4180): fields between commas, quoted if they contain commas, quotes or line ends, with quotes
 * inside doubled. Line ends are CRLF, LF or CR; a byte order mark is dropped. Blank lines are skipped. Throws {@link CsvError}
 * for a quote that is never closed, or text after a closing one.
 */
export function* readCsv(csv: string): Generator<string[]> {
  let at = csv.startsWith("\ufeff") ? 1 : 0;
  let record: string[] = [];
  while (at < csv.length) {
    const isQuoted = csv[at] === '"';
    const field = isQuoted ? readQuoted(csv, at) : readPlain(csv, at);
    record.push(field.text);
    at = field.end;
    if (csv[at] === ",") {
      at += 1;
      // A comma at the very end is followed by an empty field.
      if (at < csv.length) continue;
      record.push("");
    }
    if (csv[at] === "\r" && csv[at + 1] === "\n") at += 1;
    at += 1;
    if (record.length > 1 || record[0] !== "" || isQuoted) yield record;
    record = [];
  }
}

interface Field {
  text: string;
  /** The position of the comma or line end after it. */
  end: number;
}

const fieldEnd = /[,\r\n]/g;

function readPlain(csv: string, start: number): Field {
  fieldEnd.lastIndex = start;
  const end = fieldEnd.exec(csv)?.index ?? csv.length;
  return { text: csv.slice(start, end), end };
}

function readQuoted(csv: string, start: number): Field {
  let text = "";
  for (let from = start + 1; ; ) {
    const quote = csv.indexOf('"', from);
    if (quote < 0) throw new CsvError(`The quote that opens on line ${lineOf(csv, start)} is never closed`);
    text += csv.slice(from, quote);
    if (csv[quote + 1] !== '"') {
      const end = quote + 1;
      if (end < csv.length && !",\r\n".includes(csv[end] as string)) {
        throw new CsvError(`There is text behind a closing quote on line ${lineOf(csv, quote)}`);
      }
      return { text, end };
    }
    text += '"';
    from = quote + 2;
  }
}

const lineOf = (csv: string, at: number): number => csv.slice(0, at).split(/\r\n|\n|\r/).length;
