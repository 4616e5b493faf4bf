import { useMemo } from "react";
import { IconButton } from "../ui/button.tsx";
import { FoldIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { foldableDepth, type TraceTree } from "./trace-tree.ts";

/** Deeper levels are folded span by span. */
const offeredMost = 8;

/** Folds the tree of spans to a number of levels below its roots. */
export function FoldMenu({
  tree,
  fromDepth,
  onFoldTo,
}: {
  tree: TraceTree;
  fromDepth: number;
  onFoldTo(depth: number | null): void;
}) {
  const deepest = useMemo(() => foldableDepth(tree), [tree]);
  if (deepest === 0) return null;
  const depths = Array.from({ length: Math.min(deepest, offeredMost) }, (_, index) => index + 1);
  return (
    <span className="flex justify-end pr-1">
      <Menu
        align="end"
        trigger={
          <IconButton label="Fold to depth" className="h-6!">
            <FoldIcon />
          </IconButton>
        }
        items={[
          {
            label: "Unfold all",
            isChosen: !Number.isFinite(fromDepth),
            onChoose: () => onFoldTo(null),
          },
          null,
          ...depths.map((depth) => ({
            label: `Fold to depth ${depth}`,
            isChosen: fromDepth === depth,
            onChoose: () => onFoldTo(depth),
          })),
        ]}
      />
    </span>
  );
}
