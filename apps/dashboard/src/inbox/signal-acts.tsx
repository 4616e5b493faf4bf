import type { ReactNode } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import type { SignalStatus } from "./rules.ts";

/**
 * The actions on a signal, each with its key. Without `onCorrect` there is no score to correct, without `onAdd` no trace to add.
 */
export function SignalActs({
  status,
  onAct,
  onCorrect,
  onAdd,
}: {
  status: SignalStatus;
  onAct(status: SignalStatus): void;
  onCorrect?: () => void;
  onAdd?: () => void;
}) {
  const isOpen = status === "open" || status === "reopened";
  return (
    <div className="flex flex-wrap gap-2">
      {!isOpen && <Button onClick={() => onAct("open")}>Open again</Button>}
      {status !== "resolved" && (
        <Button look={isOpen ? "primary" : "plain"} onClick={() => onAct("resolved")}>
          Resolve <Key isOnAccent={isOpen}>e</Key>
        </Button>
      )}
      {status !== "dismissed" && (
        <Button onClick={() => onAct("dismissed")}>
          Dismiss <Key>d</Key>
        </Button>
      )}
      {status !== "in_review" && (
        <Button onClick={() => onAct("in_review")}>
          In review <Key>i</Key>
        </Button>
      )}
      {onCorrect && (
        <Button onClick={onCorrect}>
          Correct the score <Key>c</Key>
        </Button>
      )}
      {onAdd && (
        <Button onClick={onAdd}>
          Add to dataset <Key>a</Key>
        </Button>
      )}
      <Menu
        align="end"
        trigger={
          <IconButton label="More">
            <MoreIcon />
          </IconButton>
        }
        items={[
          {
            label: "Archive until it comes back",
            onChoose: () => onAct("archived"),
            ...(status === "archived" && { disabledBecause: "It is archived." }),
          },
        ]}
      />
    </div>
  );
}

/** The key of a button, hidden in narrow windows. */
function Key({ children, isOnAccent }: { children: ReactNode; isOnAccent?: boolean }) {
  return (
    <kbd
      aria-hidden
      className={classNames(
        "rounded-sm border px-1 max-md:hidden",
        isOnAccent ? "border-current" : "border-line bg-panel text-soft",
      )}
    >
      {children}
    </kbd>
  );
}
