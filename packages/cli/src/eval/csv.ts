/** The rows of a CSV text (RFC 4180) by the names of its first row. Empty fields are left out. */
export function readCsv(text: string): Record<string, string>[] {
  const [names = [], ...rows] = readRecords(text);
  return rows.map((fields) =>
    Object.fromEntries(names.flatMap((name, index) => (fields[index] ? [[name.trim(), fields[index]]] : []))),
  );
}

function readRecords(text: string): string[][] {
  // A field in quotation marks or without them, then a comma, the end of a line or the end of the text.
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const records: string[][] = [];
  let record: string[] = [];
  while (field.lastIndex < text.length) {
    const line = records.length + 1;
    const found = field.exec(text);
    if (found === null) throw new SyntaxError(`Row ${line} has a quotation mark out of place.`);
    record.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] === ",") continue;
    if (record.some((value) => value !== "")) records.push(record);
    record = [];
  }
  return record.length > 0 ? [...records, record] : records;
}
