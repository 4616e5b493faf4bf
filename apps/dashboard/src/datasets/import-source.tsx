import { useId, useState } from "react";
import { SelectField, TextArea } from "../ui/field.tsx";
import { formatBytes } from "../ui/format.ts";
import { ProblemLine } from "../ui/states.tsx";
import { guessImportFormat, type ImportFormat, importFormats } from "./import-format.ts";

interface Rows {
  text: string;
  format: ImportFormat;
}

/** The most that is shown in the field; a longer file is kept, but not drawn. */
const shownMax = 200_000;

/** The source of imported rows: a file, or pasted text. */
export function ImportSource({
  text,
  format,
  onChange,
  onFile,
}: Rows & { onChange(rows: Rows): void; onFile(name: string, rows: Rows): void }) {
  const id = useId();
  const [problem, setProblem] = useState<unknown>(null);
  async function read(file: File): Promise<void> {
    setProblem(null);
    try {
      const content = await file.text();
      onFile(file.name, { text: content, format: guessImportFormat(content, file.name) });
    } catch (error) {
      setProblem(error);
    }
  }
  const isLong = text.length > shownMax;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-4">
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <label htmlFor={id} className="text-sm font-medium">
            File
          </label>
          <input
            id={id}
            type="file"
            accept=".csv,.json,.jsonl,.ndjson,text/csv,application/json"
            onChange={(event) => {
              const file = event.target.files?.[0];
              if (file !== undefined) void read(file);
            }}
            className="w-full text-sm text-soft file:mr-3 file:h-8 file:cursor-pointer file:rounded-sm file:border file:border-line file:bg-canvas file:px-3 file:text-ink hover:file:bg-hover max-md:file:h-11"
          />
        </div>
        <div className="w-36">
          <SelectField
            label="Format"
            value={format}
            onChange={(event) => onChange({ text, format: event.target.value as ImportFormat })}
          >
            {Object.entries(importFormats).map(([key, { label }]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </SelectField>
        </div>
      </div>
      {problem !== null && <ProblemLine problem={problem} />}
      {isLong ? (
        <p className="m-0 text-soft">{formatBytes(text.length)} of rows, too long to be shown here.</p>
      ) : (
        <TextArea
          label="Rows"
          rows={7}
          spellCheck={false}
          value={text}
          placeholder={"query,expected_results\nMay I return shoes after 30 days?,No. Returns end after 30 days."}
          hint="CSV needs a column query; expected_results, judge_guideline and retrieval_context are read too. JSON takes the same names, or whole questions."
          onChange={(event) => {
            const pasted = event.target.value;
            onChange({ text: pasted, format: text === "" ? guessImportFormat(pasted) : format });
          }}
          className="font-mono text-xs!"
        />
      )}
    </div>
  );
}
