import { useQuery } from "@tanstack/react-query";
import { Link, Navigate } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import type { AuthConfig } from "../api/connection.ts";
import { authConfigQuery } from "../shell/account.ts";
import { ProblemState, Skeleton } from "../ui/states.tsx";

export type AccountsConfig = Extract<AuthConfig, { mode: "enabled" }>;

/** A page for signed-out users. Without accounts it redirects to the overview. */
export function Entry({ title, children }: { title: string; children(config: AccountsConfig): ReactNode }) {
  const config = useQuery(authConfigQuery);
  useEffect(() => {
    document.title = `${title} · Touchstone`;
  }, [title]);
  if (config.data?.mode === "disabled") return <Navigate to="/" replace />;
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col gap-4 px-4 pt-[12vh] pb-12">
      <p className="m-0 text-base font-semibold">Touchstone</p>
      <h1 className="m-0 text-xl">{title}</h1>
      {config.data !== undefined ? (
        children(config.data)
      ) : config.error === null ? (
        <Skeleton rows={3} />
      ) : (
        <ProblemState problem={config.error} onRetry={() => void config.refetch()} />
      )}
    </main>
  );
}

/** A link between the pages of the entry, which keeps where to go on afterwards. */
export function EntryLink({ to, next, children }: { to: string; next: string | null; children: ReactNode }) {
  return (
    <Link to={to} search={next === null ? {} : { next }} className="text-accent underline">
      {children}
    </Link>
  );
}
