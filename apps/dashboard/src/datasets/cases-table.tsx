import { useState } from "react";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Badge } from "../ui/page.tsx";
import { extrasOf, type NumberedCase, variantsOf } from "./case-rules.ts";
import { Provenance } from "./provenance.tsx";

/** Cases as rows; the keys select the open one. */
export function CasesTable({
  cases,
  openIndex,
  onOpen,
}: {
  cases: readonly NumberedCase[];
  openIndex: number | undefined;
  onOpen(index: number): void;
}) {
  const [active, setActive] = useState(openIndex);
  return (
    <DataTable
      label="Cases"
      rows={cases}
      columns={openIndex === undefined ? columns : fewColumns}
      rowKey={({ index }) => String(index)}
      rowHeight={36}
      cardHeight={84}
      activeKey={String(openIndex ?? active)}
      onActivate={({ index }) => (openIndex === undefined ? setActive(index) : onOpen(index))}
      onOpen={({ index }) => onOpen(index)}
      card={(row) => <Card {...row} />}
    />
  );
}

const fewColumns: readonly Column<NumberedCase>[] = [
  {
    key: "index",
    header: "Case",
    width: "2.5rem",
    cell: ({ index }) => <span className="text-faint tabular-nums">{index}</span>,
  },
  {
    key: "question",
    header: "Question",
    width: "minmax(10rem, 3fr)",
    cell: ({ question }) => question.main_question.query,
  },
  { key: "expected", header: "Expected answer", width: "minmax(8rem, 3fr)", cell: (row) => <Expected {...row} /> },
];

const columns: readonly Column<NumberedCase>[] = [
  ...fewColumns,
  {
    key: "graded",
    header: "Also graded by",
    width: "minmax(6rem, 1fr)",
    cell: ({ question }) => <span className="text-soft">{extrasOf(question).join(", ") || "-"}</span>,
  },
  {
    key: "variants",
    header: "Variants",
    width: "4.5rem",
    align: "right",
    cell: ({ question }) => variantsOf(question) || <span className="text-faint">-</span>,
  },
  {
    key: "split",
    header: "Split",
    width: "5rem",
    cell: ({ question }) => <span className="text-soft">{question.split ?? "-"}</span>,
  },
  {
    key: "source",
    header: "From",
    width: "4.5rem",
    cell: ({ question }) => <Provenance source={question.source} isShort />,
  },
];

function Expected({ question }: NumberedCase) {
  const { expectedResults } = question.main_question;
  return expectedResults == null || expectedResults === "" ? (
    <span className="text-faint">none: graded by the criteria</span>
  ) : (
    <span className="text-soft">{expectedResults}</span>
  );
}

function Card({ index, question }: NumberedCase) {
  const variants = variantsOf(question);
  return (
    <>
      <div className="flex gap-2">
        <span className="text-faint tabular-nums">{index}</span>
        <span className="min-w-0 flex-1 truncate">{question.main_question.query}</span>
      </div>
      <div className="truncate">
        <Expected index={index} question={question} />
      </div>
      <div className="flex items-center gap-2 text-xs text-faint">
        {question.split && <Badge>{question.split}</Badge>}
        {variants > 0 && <span>{variants} variants</span>}
        <Provenance source={question.source} isShort />
      </div>
    </>
  );
}
