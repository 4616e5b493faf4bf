import type { ReactNode } from "react";
import { useSession } from "../shell/session.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ExternalIcon } from "../ui/icons.tsx";
import { Section } from "../ui/page.tsx";

/** The version, and the address of the API. */
export function AboutTab() {
  const { config, api } = useSession();
  const origin = window.location.origin;
  const mode =
    config.mode === "disabled"
      ? "No accounts: everyone who can reach the address can use every project"
      : config.multiTenant
        ? "Accounts, with separate organizations"
        : "Accounts in one organization";
  return (
    <Section title="Touchstone">
      <dl className="m-0 grid gap-x-6 sm:grid-cols-[10rem_1fr] [&_dd]:m-0 [&_dd]:mb-3 [&_dt]:text-faint">
        <dt>Version</dt>
        <dd className="tabular-nums">{config.version}</dd>
        <dt>Sign-in</dt>
        <dd>{mode}</dd>
        <dt>Project id</dt>
        <dd>
          <Copied text={api.projectId} name="the project id" />
        </dd>
        <dt>API</dt>
        <dd>
          <Copied text={`${origin}/api/v1`} name="the address" />
        </dd>
        <dt>OpenTelemetry</dt>
        <dd>
          <Copied text={`${origin}/api/v1/otel/v1/traces`} name="the endpoint" />
        </dd>
        <dt>Descriptions</dt>
        <dd className="flex flex-wrap gap-x-4">
          <Outside href="/openapi.json">OpenAPI document</Outside>
          <Outside href="/health">Health</Outside>
        </dd>
      </dl>
    </Section>
  );
}

function Copied({ text, name }: { text: string; name: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="break-all">{text}</code>
      <CopyButton text={text} name={name} />
    </span>
  );
}

function Outside({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className="inline-flex items-center gap-1.5 text-accent">
      {children} <ExternalIcon />
    </a>
  );
}
