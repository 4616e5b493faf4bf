import { createContext, useContext } from "react";

/** The rows that are chosen together. Kept beside the rows, so that choosing one draws only its box again. */
export interface Selection {
  ids: ReadonlySet<string>;
  toggle(id: string): void;
}

const Context = createContext<Selection>({ ids: new Set(), toggle: () => {} });

export const SelectionProvider = Context.Provider;

/** The box that chooses a row. */
export function SelectBox({ id, name }: { id: string; name: string }) {
  const { ids, toggle } = useContext(Context);
  return (
    <label className="-m-2 flex items-center justify-center p-2">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={ids.has(id)}
        onChange={() => toggle(id)}
        className="size-4 accent-accent"
      />
    </label>
  );
}
