import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Panel } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";

const ways = {
  curl: (address: string) => `curl -X POST ${address}/api/v1/ingest/traces \\
  -H "x-api-key: $TOUCHSTONE_API_KEY" -H 'content-type: application/json' \\
  -d '{"name":"support-agent","session_id":"chat-42","input":"Where is my parcel?","output":"It arrives on Friday."}'`,
  otel: () => `# An attribute of any span of the turn:
session.id = "chat-42"`,
} as const;

/** Shown for a project without sessions: how to send the session of a trace. */
export function HowToSend({ isShortWindow, onWiden }: { isShortWindow: boolean; onWiden(): void }) {
  const [chosen, choose] = useState<keyof typeof ways>("curl");
  const code = ways[chosen](window.location.origin);
  return (
    <section aria-labelledby="no-sessions" className="mx-auto flex w-full max-w-3xl flex-col gap-4 px-4 py-10">
      <header>
        <h2 id="no-sessions" className="m-0 text-xl">
          No session {isShortWindow ? "in this time" : "yet"}
        </h2>
        <p className="m-0 mt-1 text-soft">
          Traces with the same session id are turns of one talk. Send yours with every trace; judges can then rate the
          talk as a whole, too.
        </p>
      </header>
      <Panel>
        <Tabs<keyof typeof ways>
          label="How to send it"
          tabs={[
            { key: "curl", label: "curl" },
            { key: "otel", label: "OpenTelemetry" },
          ]}
          chosen={chosen}
          onChoose={choose}
          className="p-4"
        >
          <pre tabIndex={0} className="m-0 overflow-x-auto leading-5">
            {code}
          </pre>
          <div className="mt-3">
            <CopyButton text={code} name="the command" label="Copy" />
          </div>
        </Tabs>
      </Panel>
      {isShortWindow && (
        <div>
          <Button onClick={onWiden}>Look at the last 30 days</Button>
        </div>
      )}
    </section>
  );
}
