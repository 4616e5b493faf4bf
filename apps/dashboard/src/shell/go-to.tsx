import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { classNames } from "../ui/class-names.ts";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { findById, looksLikeId } from "./find-by-id.ts";
import { allPlaces } from "./places.ts";
import { useApi } from "./session.tsx";

interface Choice {
  label: string;
  go(): void | Promise<void>;
}

/** Opens a page by name or an object by id, or searches the traces. */
export function GoTo({ onClose }: { onClose(): void }) {
  return (
    <Dialog isOpen onClose={onClose} title="Go to">
      <Choices onClose={onClose} />
    </Dialog>
  );
}

function Choices({ onClose }: { onClose(): void }) {
  const api = useApi();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [index, setIndex] = useState(0);
  const [problem, setProblem] = useState<unknown>(null);
  const params = { projectId: api.projectId };
  const wanted = typed.trim();

  const choices: Choice[] = [
    ...allPlaces
      .filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()))
      .map(({ label, to }) => ({ label, go: () => navigate({ to, params }) })),
    ...(looksLikeId(wanted)
      ? [{ label: `Open ${wanted}`, go: async () => navigate({ to: await findById(api, wanted) }) }]
      : []),
    ...(wanted !== ""
      ? [
          {
            label: `Search traces for "${wanted}"`,
            go: () => navigate({ to: "/p/$projectId/traces", params, search: { search: wanted } }),
          },
        ]
      : []),
  ];

  async function choose(choice: Choice | undefined): Promise<void> {
    if (choice === undefined) return;
    try {
      await choice.go();
      onClose();
    } catch (error) {
      setProblem(error);
    }
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setIndex((index + step + choices.length) % choices.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      void choose(choices[index]);
    }
  }

  return (
    <div className="flex flex-col gap-3">
      <TextField
        label="A page, an id, or words to search the traces for"
        value={typed}
        autoFocus
        autoComplete="off"
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setTyped(event.target.value);
          setIndex(0);
          setProblem(null);
        }}
      />
      {problem !== null && <ProblemLine problem={problem} />}
      <ul className="m-0 list-none p-0">
        {choices.map((choice, at) => (
          <li key={choice.label}>
            <button
              type="button"
              onClick={() => void choose(choice)}
              className={classNames(
                "flex min-h-8 w-full items-center truncate rounded-sm px-2 text-left max-md:min-h-11",
                at === index ? "bg-hover" : "hover:bg-hover",
              )}
            >
              {choice.label}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
