import { casesAtOnceMost } from "../blocks/add-to-dataset.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";

interface BulkBarProps {
  count: number;
  onAdd(): void;
  onEvaluate(): void;
  onDelete(): void;
  onClear(): void;
}

/** What can be done with the selected rows, below the list. */
export function BulkBar({ count, onAdd, onEvaluate, onDelete, onClear }: BulkBarProps) {
  const tooMany = count > casesAtOnceMost ? `At most ${casesAtOnceMost} traces at once.` : undefined;
  return (
    <div
      role="toolbar"
      aria-label="Selected traces"
      className="flex flex-wrap items-center gap-2 border-t border-line bg-panel px-4 py-2 md:px-6"
    >
      <span role="status" className="mr-2 font-medium tabular-nums">
        {formatCount(count)} selected
      </span>
      <Button onClick={onAdd} disabled={tooMany !== undefined} {...(tooMany !== undefined && { hint: tooMany })}>
        Add to dataset
      </Button>
      <Button onClick={onEvaluate} disabled={tooMany !== undefined} {...(tooMany !== undefined && { hint: tooMany })}>
        Evaluate
      </Button>
      <Button look="danger" onClick={onDelete}>
        Delete
      </Button>
      <Button look="ghost" className="ml-auto" onClick={onClear}>
        Clear selection
      </Button>
    </div>
  );
}
