import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { classNames } from "./class-names.ts";

export interface TabsProps<Key extends string> {
  /** The name of the choice, for screen readers. */
  label: string;
  tabs: readonly { key: Key; label: ReactNode }[];
  chosen: Key;
  onChoose(key: Key): void;
  /** The panel of the chosen tab. */
  children: ReactNode;
  /** Class names of the panel. */
  className?: string;
  /** Class names of the row of tabs, such as the inset of a page whose content extends to the edges. */
  rowClassName?: string;
}

/** Tabs whose selection is kept by the caller, usually in the URL. Arrow keys move between them. */
export function Tabs<Key extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  children,
  className,
  rowClassName,
}: TabsProps<Key>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // If the tabs overflow the window, the selected one is scrolled into view.
    list.current?.querySelector(`[data-key="${chosen}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chosen]);

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(({ key }) => key === chosen);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.key);
    list.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus();
  }

  return (
    <>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        className={classNames("flex shrink-0 gap-1 overflow-x-auto border-b border-line", rowClassName)}
      >
        {tabs.map((tab) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={`${id}-${tab.key}`}
            data-key={tab.key}
            aria-selected={tab.key === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.key === chosen ? 0 : -1}
            onClick={() => onChoose(tab.key)}
            className={classNames(
              "-mb-px h-9 shrink-0 border-b-2 px-3 text-sm whitespace-nowrap max-md:h-11",
              tab.key === chosen ? "border-accent font-medium text-ink" : "border-transparent text-soft hover:text-ink",
            )}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} className={className}>
        {children}
      </div>
    </>
  );
}
