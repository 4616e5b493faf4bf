import type { ReactNode } from "react";

/**
 * A table of figures: the first column names what a row is about, the others align to the right. In a narrow window it scrolls
 * sideways.
 */
export function FiguresTable({
  name,
  columns,
  className,
  children,
}: {
  name: string;
  columns: readonly [string, ...string[]];
  className: string;
  children: ReactNode;
}) {
  return (
    <div tabIndex={0} role="group" aria-label={`${name}, scrolls sideways`} className="overflow-x-auto">
      <table
        aria-label={name}
        className={`w-full border-collapse text-left [&_:is(th,td):not(:first-child)]:text-right ${className}`}
      >
        <thead className="text-xs text-faint">
          <tr className="border-b border-line [&_th]:h-8 [&_th]:font-normal">
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="[&_td]:tabular-nums [&_tr]:h-9 [&_tr]:border-b [&_tr]:border-line">{children}</tbody>
      </table>
    </div>
  );
}
