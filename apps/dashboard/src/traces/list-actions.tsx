import { Button } from "../ui/button.tsx";
import { LiveIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import type { FreshRows } from "./use-fresh-rows.ts";

/** Whether new traces are shown as they arrive. */
export function LiveButton({
  state,
  isPaused,
  isPossible,
  onToggle,
}: {
  state: FreshRows["state"];
  isPaused: boolean;
  isPossible: boolean;
  onToggle(): void;
}) {
  const isOpen = state === "open";
  return (
    <Button
      aria-pressed={!isPaused}
      disabled={!isPossible}
      hint={
        !isPossible
          ? "New traces come into a list without an end and without ratings: judges rate later."
          : isPaused
            ? "Show traces as they are stored"
            : isOpen
              ? "New traces appear here; press to pause"
              : "Connecting; press to pause"
      }
      onClick={onToggle}
    >
      <LiveIcon className={isOpen ? "size-4 text-accent" : "size-4 text-faint"} />
      {isPaused || !isPossible ? "Paused" : isOpen ? "Live" : "Connecting"}
    </Button>
  );
}

/** The visible columns of the table. */
export function ColumnsMenu({
  columns,
  shown,
  onChoose,
}: {
  columns: readonly { key: string; label: string }[];
  shown: ReadonlySet<string>;
  onChoose(keys: string[] | undefined): void;
}) {
  return (
    <Menu
      align="end"
      trigger={<Button className="max-md:hidden">Columns</Button>}
      items={[
        ...columns.map(({ key, label }) => ({
          label,
          isChosen: shown.has(key),
          onChoose: () =>
            onChoose(columns.map((column) => column.key).filter((other) => shown.has(other) !== (other === key))),
        })),
        null,
        { label: "As at first", onChoose: () => onChoose(undefined) },
      ]}
    />
  );
}
