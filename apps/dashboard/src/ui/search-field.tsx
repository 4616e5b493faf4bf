import { useEffect, useRef, useState } from "react";
import { TextField } from "./field.tsx";
import { useShortcuts } from "./shortcuts.tsx";

/** The pause in typing after which the input is reported. */
const typingMs = 250;

/** Reports the input once typing pauses; a value that changes elsewhere replaces it. `/` focuses it, Escape leaves it. */
export function SearchField({
  value,
  onChange,
  label = "Search",
  placeholder = label,
  group,
  className = "w-72 max-md:w-[calc(100%-4rem)]",
}: {
  value: string;
  onChange(value: string): void;
  /** The name of the field and of its key. */
  label?: string;
  /** The searchable fields. */
  placeholder?: string;
  /** The heading of the page's keys. */
  group: string;
  /** Its width. */
  className?: string;
}) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  // Reports that the owner has not given back: each comes late, and must not replace what was typed since.
  const underWay = useRef<string[]>([]);
  const latest = useRef(onChange);
  latest.current = onChange;
  const place = useRef<HTMLDivElement>(null);
  useShortcuts(group, [{ keys: "/", label, run: () => place.current?.querySelector("input")?.focus() }]);
  useEffect(() => {
    const at = underWay.current.indexOf(value);
    underWay.current = at < 0 ? [] : underWay.current.slice(at + 1);
    if (at >= 0) return;
    if (value !== sent.current) setTyped(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (typed.trim() === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed.trim();
      underWay.current.push(sent.current);
      latest.current(typed.trim());
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div ref={place} className={className}>
      <TextField
        label={label}
        isLabelHidden
        type="search"
        spellCheck={false}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
    </div>
  );
}
