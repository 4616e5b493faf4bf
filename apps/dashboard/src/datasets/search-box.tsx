import { useRef } from "react";
import { TextField } from "../ui/field.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";

/** The search of a list; `/` goes to it, Escape leaves it. */
export function SearchBox({ label, value, onChange }: { label: string; value: string; onChange(text: string): void }) {
  const place = useRef<HTMLDivElement>(null);
  useShortcuts("Search", [{ keys: "/", label, run: () => place.current?.querySelector("input")?.focus() }]);
  return (
    <div ref={place} className="w-56 max-md:w-full">
      <TextField
        label={label}
        isLabelHidden
        type="search"
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
    </div>
  );
}
