import { Link } from "@tanstack/react-router";
import { classNames } from "../ui/class-names.ts";
import { formatCount, formatShare } from "../ui/format.ts";
import type { Agreement, Cell } from "./trust.ts";

const meanings: Record<Cell, { word: string; look: string }> = {
  bothFail: { word: "Both: bad", look: "bg-chosen" },
  onlyScorerFails: { word: "False alarm", look: "bg-warn-ground" },
  onlyPersonFails: { word: "Missed", look: "bg-bad-ground" },
  bothPass: { word: "Both: good", look: "bg-chosen" },
};

/** The two-by-two table of the judge's and people's verdicts. Each cell is explained and opens its traces. */
export function AgreementMatrix({ agreement, chosen }: { agreement: Agreement; chosen: Cell | undefined }) {
  const { table, pairs, scorerName } = agreement;
  const row = (label: string, passing: Cell, failing: Cell) => (
    <tr>
      <th scope="row" className="w-24 pr-3 text-left align-middle font-normal text-soft">
        {label}
        <span className="block text-xs text-faint tabular-nums">{formatCount(table[passing] + table[failing])}</span>
      </th>
      <MatrixCell cell={failing} count={table[failing]} pairs={pairs} isChosen={chosen === failing} />
      <MatrixCell cell={passing} count={table[passing]} pairs={pairs} isChosen={chosen === passing} />
    </tr>
  );
  const column = (label: string, count: number) => (
    <th scope="col" className="pb-1 font-normal text-soft">
      {label} <span className="text-xs text-faint tabular-nums">{formatCount(count)}</span>
    </th>
  );
  return (
    <table className="w-full max-w-xl border-separate border-spacing-1">
      <caption className="sr-only">How {scorerName} and people rated the same traces</caption>
      <thead>
        <tr>
          <td />
          {column(`${scorerName} fails`, table.bothFail + table.onlyScorerFails)}
          {column(`${scorerName} passes`, table.bothPass + table.onlyPersonFails)}
        </tr>
      </thead>
      <tbody>
        {row("People: bad", "onlyPersonFails", "bothFail")}
        {row("People: good", "bothPass", "onlyScorerFails")}
      </tbody>
    </table>
  );
}

function MatrixCell({ cell, count, pairs, isChosen }: { cell: Cell; count: number; pairs: number; isChosen: boolean }) {
  const { word, look } = meanings[cell];
  return (
    <td className="p-0">
      <Link
        from="/p/$projectId/judges/$judgeId/agreement"
        to="."
        search={(before) => ({ ...before, cell: isChosen ? undefined : cell, why: undefined })}
        resetScroll={false}
        aria-current={isChosen || undefined}
        className={classNames(
          "flex h-20 flex-col items-center justify-center rounded-sm border-2 text-ink no-underline hover:border-control",
          isChosen ? "border-accent" : "border-transparent",
          look,
        )}
      >
        <span className="text-xl font-semibold tabular-nums">{formatCount(count)}</span>
        <span className="text-xs text-soft">
          {word}, {formatShare(pairs === 0 ? null : count / pairs, 0)}
        </span>
      </Link>
    </td>
  );
}
