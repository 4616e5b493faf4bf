import { createContext, useContext, useEffect, useRef } from "react";

/** The state of the list that cells need. It is separate from the rows, so that selecting a row redraws only its checkbox. */
interface ListState {
  ids: ReadonlySet<string>;
  /** With `isRange`, includes every row between this one and the previously selected one. */
  toggle(id: string, isRange: boolean): void;
  /** How many of the loaded rows are selected. */
  chosen: "none" | "some" | "all";
  toggleAll(): void;
  /** Opens the explanation of a trace's rating. */
  showWhy(id: string): void;
}

const Context = createContext<ListState>({
  ids: new Set(),
  toggle: () => {},
  chosen: "none",
  toggleAll: () => {},
  showWhy: () => {},
});

export const ListStateProvider = Context.Provider;

export const useShowWhy = (): ListState["showWhy"] => useContext(Context).showWhy;

const boxClasses = "block size-4 accent-accent";

/** The checkbox of a row; with Shift it selects all rows since the last selected one. */
export function SelectBox({ id, name }: { id: string; name: string }) {
  const { ids, toggle } = useContext(Context);
  const isShift = useRef(false);
  return (
    <label className="-m-2 flex items-center justify-center p-2">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={ids.has(id)}
        onClick={(event) => {
          isShift.current = event.shiftKey;
        }}
        onChange={() => toggle(id, isShift.current)}
        className={boxClasses}
      />
    </label>
  );
}

/** The checkbox for all loaded rows. */
export function SelectAllBox() {
  const { chosen, toggleAll } = useContext(Context);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = chosen === "some";
  }, [chosen]);
  return (
    <label className="-m-2 flex items-center justify-center p-2">
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all that are loaded"
        checked={chosen === "all"}
        onChange={toggleAll}
        className={boxClasses}
      />
    </label>
  );
}
