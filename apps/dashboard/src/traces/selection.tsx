import { createContext, useContext, useEffect, useRef } from "react";

/** What a cell needs of its list. Kept beside the rows, so that choosing one draws only its box again. */
interface ListState {
  ids: ReadonlySet<string>;
  /** `isRange`: with every row between this one and the one that was chosen before. */
  toggle(id: string, isRange: boolean): void;
  /** How many of the rows at hand are chosen. */
  chosen: "none" | "some" | "all";
  toggleAll(): void;
  /** Opens why a trace was rated as it was. */
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

/** The box that chooses a row; with Shift it chooses all from the last one. */
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

/** The box of all rows at hand. */
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
