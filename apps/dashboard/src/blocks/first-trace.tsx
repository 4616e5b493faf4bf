import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { followEvents, type StreamState } from "../api/event-stream.ts";
import { useApi } from "../shell/session.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatTime } from "../ui/format.ts";
import { Panel } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { type Snippet, snippets } from "./first-trace-snippets.ts";

/**
 * Shown for a project without traces: a command that sends the first one, with the real address and key, and whether
 * the page is listening. When the trace arrives all data of the project is loaded again.
 */
export function FirstTrace() {
  const api = useApi();
  const queries = useQueryClient();
  const [chosen, choose] = useState<Snippet["key"]>("curl");
  const [isKeyShown, showKey] = useState(false);
  const [state, setState] = useState<StreamState>("connecting");
  const [since] = useState(() => new Date().toISOString());

  useEffect(() => {
    const readAgain = () => void queries.invalidateQueries({ queryKey: [api.projectId] });
    return followEvents(api, {
      path: "/api/v1/ingest/traces/stream",
      onEvent: readAgain,
      onFresh: readAgain,
      onPoll: readAgain,
      onState: setState,
    });
  }, [api, queries]);

  const snippet = snippets.find(({ key }) => key === chosen) ?? (snippets[0] as Snippet);
  const place = { address: window.location.origin, apiKey: api.project.apiKey };
  const code = snippet.render(place);
  return (
    <section aria-labelledby="first-trace" className="mx-auto flex w-full max-w-3xl flex-col gap-4 px-4 py-10">
      <header>
        <h2 id="first-trace" className="m-0 text-xl">
          Send the first trace
        </h2>
        <p className="m-0 mt-1 text-soft">
          Run this where your agent runs. The page shows the trace as soon as it is stored.
        </p>
      </header>
      <Panel>
        <Tabs
          label="How to send it"
          tabs={snippets.map(({ key, label }) => ({ key, label }))}
          chosen={chosen}
          onChoose={(key) => choose(key)}
          className="p-4"
        >
          <pre tabIndex={0} className="m-0 overflow-x-auto leading-5">
            {code.split(place.apiKey).map((piece, index) => (
              <span key={`${index}-${piece.length}`}>
                {index > 0 && <span className={isKeyShown ? undefined : "blur-xs select-none"}>{place.apiKey}</span>}
                {piece}
              </span>
            ))}
          </pre>
          <div className="mt-3 flex flex-wrap items-center gap-3">
            <CopyButton text={code} name="the command" label="Copy with the key" onPress={() => showKey(true)} />
            <p role="status" className="m-0 text-soft">
              {state === "open"
                ? `Listening since ${formatTime(since)}`
                : state === "closed"
                  ? "Not listening"
                  : "Connecting"}
            </p>
          </div>
        </Tabs>
      </Panel>
      <p className="m-0 text-soft">
        Nothing to send yet? <code>npm start -- --demo</code> loads a project with two weeks of traffic, runs and
        signals.
      </p>
    </section>
  );
}
