import { IconButton } from "../ui/button.tsx";
import { ChevronLeftIcon, ChevronRightIcon } from "../ui/icons.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";

/** Navigation to the cases around the open one; undefined if there is none. */
export interface Neighbours {
  before: (() => void) | undefined;
  after: (() => void) | undefined;
}

/** Binds `[` and `]` in every view of a case. */
export function useNeighbourKeys({ before, after }: Neighbours): void {
  useShortcuts("Case", [
    { keys: "[", label: "Case before", run: () => before?.() },
    { keys: "]", label: "Next case", run: () => after?.() },
  ]);
}

export function NeighbourButtons({ before, after }: Neighbours) {
  return (
    <>
      <IconButton label="Case before ([)" disabled={before === undefined} onClick={before}>
        <ChevronLeftIcon />
      </IconButton>
      <IconButton label="Next case (])" disabled={after === undefined} onClick={after}>
        <ChevronRightIcon />
      </IconButton>
    </>
  );
}
