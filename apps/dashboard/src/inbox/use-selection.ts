import { useNavigate } from "@tanstack/react-router";
import { type RefObject, useCallback, useEffect, useRef } from "react";

export interface ShownPart {
  seen?: string;
  why?: true | undefined;
  day?: string | undefined;
}

export interface Selection {
  /** The signal that keys act on. It is updated before the URL, so that the second of two quick keys acts on the next signal. */
  current: RefObject<string | undefined>;
  select(id: string | undefined): void;
  /** Shows another occurrence of the selected signal, the explanation of its score, or one or every day of its trend. */
  show(part: ShownPart): void;
}

/** Keeps the open signal and its view in the URL. `chosen` is the row drawn as selected. */
export function useSelection(chosen: string | undefined): Selection {
  const navigate = useNavigate({ from: "/p/$projectId/inbox" });
  const current = useRef(chosen);
  useEffect(() => {
    current.current = chosen;
  }, [chosen]);
  const select = useCallback(
    (id: string | undefined) => {
      current.current = id;
      const search = { open: id, seen: undefined, why: undefined, day: undefined };
      void navigate({ search: (before) => ({ ...before, ...search }), replace: true });
    },
    [navigate],
  );
  const show = useCallback(
    (part: ShownPart) =>
      void navigate({ search: (before) => ({ ...before, open: current.current, ...part }), replace: true }),
    [navigate],
  );
  return { current, select, show };
}
