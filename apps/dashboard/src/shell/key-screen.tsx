import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { forgetDisconnect, storeKey } from "../api/connection.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";

/** Asks for a project's key: after Disconnect, or when the stored key stopped working. */
export function KeyScreen({ reason }: { reason: string | null }) {
  const queries = useQueryClient();
  const [key, setKey] = useState("");
  const connectAgain = () => queries.resetQueries({ queryKey: ["connection"] });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (key.trim() === "") return;
    storeKey(localStorage, key);
    void connectAgain();
  }
  return (
    <main className="mx-auto flex w-full max-w-md flex-col gap-4 px-4 py-16">
      <h1 className="m-0 text-xl">Connect to a project</h1>
      <p className="m-0 text-soft">
        Paste a project's key. It is kept in this browser only; Disconnect forgets it. The server prints the default
        project's key when it starts.
      </p>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Project API key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={key}
          error={reason}
          onChange={(event) => setKey(event.target.value)}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary">
            Connect
          </Button>
          <Button
            onClick={() => {
              forgetDisconnect(localStorage);
              void connectAgain();
            }}
          >
            Use the default project
          </Button>
        </div>
      </form>
    </main>
  );
}
