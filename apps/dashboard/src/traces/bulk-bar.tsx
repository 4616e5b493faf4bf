import { casesAtOnceMost } from "../blocks/add-to-dataset.tsx";
import { useAdministers } from "../shell/role.ts";
import { Button, type ButtonProps } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import type { ListAct } from "./use-traces-page.ts";

interface BulkBarProps {
  count: number;
  onBegin(kind: ListAct["kind"]): void;
  onClear(): void;
}

/** The actions on the selected rows, below the list. */
export function BulkBar({ count, onBegin, onClear }: BulkBarProps) {
  const { may, why } = useAdministers();
  const limit: Pick<ButtonProps, "disabled" | "hint"> =
    count > casesAtOnceMost ? { disabled: true, hint: `At most ${casesAtOnceMost} traces at once.` } : {};
  return (
    <div
      role="toolbar"
      aria-label="Selected traces"
      className="flex flex-wrap items-center gap-2 border-t border-line bg-panel px-4 py-2 md:px-6"
    >
      <span role="status" className="mr-2 font-medium tabular-nums">
        {formatCount(count)} selected
      </span>
      <Button onClick={() => onBegin("add")} {...limit}>
        Add to dataset
      </Button>
      <Button onClick={() => onBegin("evaluate")} {...limit}>
        Evaluate
      </Button>
      <Button look="danger" disabled={!may} hint={why} onClick={() => onBegin("delete")}>
        Delete
      </Button>
      <Button look="ghost" className="ml-auto" onClick={onClear}>
        Clear selection
      </Button>
    </div>
  );
}
