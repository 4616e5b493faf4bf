import { type FormEvent, type ReactNode, useId } from "react";
import { Button } from "../ui/button.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { ProblemLine } from "../ui/states.tsx";

export interface EditorPanelProps {
  title: string;
  onClose(): void;
  onSave(): void;
  saveLabel: string;
  isBusy: boolean;
  /** Why it cannot be saved yet; shown on the button. */
  missing?: string | undefined;
  /** Why saving failed. The input is kept. */
  problem: unknown;
  /** Delete, copy, test: the actions besides saving. */
  further?: ReactNode;
  children: ReactNode;
}

/** A form beside a list of objects; Ctrl+Enter saves. */
export function EditorPanel({
  title,
  onClose,
  onSave,
  saveLabel,
  isBusy,
  missing,
  problem,
  further,
  children,
}: EditorPanelProps) {
  const id = useId();
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (missing === undefined && !isBusy) onSave();
  }
  return (
    <SidePanel title={title} onClose={onClose}>
      <form
        id={id}
        onSubmit={submit}
        onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && submit(event)}
        className="flex flex-col gap-5"
      >
        {children}
        {problem !== null && <ProblemLine problem={problem} />}
        <div className="sticky -bottom-4 -mx-4 -mb-4 flex flex-wrap items-center gap-2 border-t border-line bg-canvas p-4">
          <Button
            look="primary"
            type="submit"
            isBusy={isBusy}
            disabled={missing !== undefined}
            {...(missing !== undefined && { hint: missing })}
          >
            {saveLabel}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          {further !== undefined && <div className="ml-auto flex flex-wrap gap-2">{further}</div>}
        </div>
      </form>
    </SidePanel>
  );
}
