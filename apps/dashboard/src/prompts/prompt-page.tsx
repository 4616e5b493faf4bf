import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Conversation } from "../blocks/conversation.tsx";
import { readMessages } from "../blocks/messages.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { SelectField } from "../ui/field.tsx";
import { EditIcon } from "../ui/icons.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { Badge, Page, Section } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { Loaded, Skeleton } from "../ui/states.tsx";
import { WordDiff } from "../ui/word-diff.tsx";
import { MoveLabelsDialog } from "./move-labels-dialog.tsx";
import { PublishDialog } from "./publish-dialog.tsx";
import { type Prompt, promptQuery } from "./queries.ts";
import { VersionFigures } from "./version-figures.tsx";

const route = getRouteApi("/p/$projectId/prompts/$promptId");

/** One prompt: any of its versions, what changed in it, and the labels that name it. */
export function PromptPage() {
  const api = useApi();
  const { promptId } = route.useParams();
  const { version } = route.useSearch();
  const newest = useQuery(promptQuery(api, promptId));
  const shown = useQuery(promptQuery(api, promptId, version));
  const [isPublishing, setPublishing] = useState(false);
  useShortcuts("Prompt", [{ keys: "e", label: "New version", run: () => setPublishing(shown.data !== undefined) }]);
  return (
    <Page
      title={newest.data?.name ?? "Prompt"}
      aside={newest.data && [newest.data.description, ...newest.data.tags].filter(Boolean).join(" · ")}
      actions={
        shown.data && (
          <Button onClick={() => setPublishing(true)}>
            <EditIcon /> New version
          </Button>
        )
      }
    >
      <Loaded query={newest}>
        {({ version: last }) => (
          <Loaded query={shown}>
            {(prompt) => (
              <>
                <PromptVersion prompt={prompt} last={last} />
                <VersionFigures promptName={prompt.name} />
                <PublishDialog isOpen={isPublishing} onClose={() => setPublishing(false)} from={prompt} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

/** The text of a version, or what changed from the one before. `last` is the newest version. */
function PromptVersion({ prompt, last }: { prompt: Prompt; last: number }) {
  const { changes } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/prompts/$promptId" });
  const [isMoving, setMoving] = useState(false);
  const versions = Array.from({ length: last }, (_, index) => last - index);
  const isCompared = changes === true && prompt.version > 1;
  return (
    <>
      <Section
        title={`Version ${prompt.version}`}
        aside={prompt.commitMessage}
        actions={
          <>
            {prompt.version > 1 && (
              <Button
                look="ghost"
                aria-pressed={isCompared}
                onClick={() => void navigate({ search: (was) => ({ ...was, changes: isCompared ? undefined : true }) })}
              >
                {isCompared ? "Show the text" : `What changed from version ${prompt.version - 1}`}
              </Button>
            )}
            <CopyButton text={prompt.text} name="text" />
            {last > 1 && (
              <SelectField
                label="Version"
                isLabelHidden
                className="w-auto"
                value={prompt.version}
                onChange={(event) => {
                  const version = Number(event.target.value);
                  void navigate({ search: (was) => ({ ...was, version: version === last ? undefined : version }) });
                }}
              >
                {versions.map((version) => (
                  <option key={version} value={version}>
                    Version {version}
                    {version === last && ", the newest"}
                  </option>
                ))}
              </SelectField>
            )}
          </>
        }
      >
        {isCompared ? <ChangesOf prompt={prompt} /> : <PromptText prompt={prompt} />}
      </Section>
      <Section title="Labels">
        <div className="flex flex-wrap items-center gap-2">
          {prompt.labels.length === 0 && <p className="m-0 text-soft">No label names this version.</p>}
          {prompt.labels.map((label) => (
            <Badge key={label} look={label === "production" ? "good" : "plain"}>
              {label}
            </Badge>
          ))}
          <Button onClick={() => setMoving(true)}>Move labels here</Button>
        </div>
        <MoveLabelsDialog prompt={prompt} isOpen={isMoving} onClose={() => setMoving(false)} />
      </Section>
      {!isEmptyConfig(prompt.config) && (
        <Section title="Config">
          <div className="max-w-4xl rounded-sm border border-line bg-panel p-2">
            <JsonView value={prompt.config} name="config" />
          </div>
        </Section>
      )}
    </>
  );
}

function PromptText({ prompt }: { prompt: Prompt }) {
  const messages = prompt.messages === undefined ? null : readMessages(prompt.messages);
  if (messages !== null) return <Conversation messages={messages} />;
  return (
    <pre className="m-0 max-w-4xl rounded-sm border border-line bg-panel p-3 font-sans break-words whitespace-pre-wrap">
      {prompt.text}
    </pre>
  );
}

function ChangesOf({ prompt }: { prompt: Prompt }) {
  const before = useQuery(promptQuery(useApi(), prompt._id, prompt.version - 1));
  return (
    <Loaded query={before} skeleton={<Skeleton rows={2} />}>
      {(was) =>
        was.text === prompt.text ? (
          <p className="m-0 text-soft">The text is the same.</p>
        ) : (
          <div className="max-w-4xl">
            <WordDiff before={was.text} after={prompt.text} />
          </div>
        )
      }
    </Loaded>
  );
}

const isEmptyConfig = (config: unknown): boolean =>
  config === null || (typeof config === "object" && Object.keys(config).length === 0);
