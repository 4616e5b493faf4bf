import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { Badge, Page, Time } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { PublishDialog } from "./publish-dialog.tsx";
import { type Prompt, promptsQuery } from "./queries.ts";

/** The project's prompts at their newest versions. */
export function PromptsPage() {
  const api = useApi();
  const pages = useInfiniteQuery(promptsQuery(api));
  const prompts = useMemo(() => pages.data?.pages.flatMap((page) => page.prompts) ?? [], [pages.data]);
  const [isCreating, setCreating] = useState(false);
  useShortcuts("Prompts", [{ keys: "c", label: "New prompt", run: () => setCreating(true) }]);
  const create = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <PlusIcon /> New prompt
    </Button>
  );
  return (
    <Page title="Prompts" isFull actions={prompts.length > 0 && create}>
      <Loaded query={pages}>
        {() =>
          prompts.length === 0 ? (
            <EmptyState title="No prompts yet" actions={create}>
              <p className="m-0">
                A prompt is a text with versions. A program reads the version that a label names, such as{" "}
                <code>production</code>, and you move the label when another version is better.
              </p>
            </EmptyState>
          ) : (
            <PromptsTable
              prompts={prompts}
              onReachEnd={() => {
                if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
              }}
            />
          )
        }
      </Loaded>
      <PublishDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

function PromptsTable({ prompts, onReachEnd }: { prompts: readonly Prompt[]; onReachEnd(): void }) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const [activeKey, setActiveKey] = useState<string>();
  return (
    <DataTable
      label="Prompts"
      rows={prompts}
      columns={columns}
      rowKey={({ _id }) => _id}
      rowHeight={52}
      cardHeight={84}
      activeKey={activeKey}
      onActivate={({ _id }) => setActiveKey(_id)}
      onOpen={({ _id: promptId }) =>
        void navigate({ to: "/p/$projectId/prompts/$promptId", params: { projectId, promptId } })
      }
      onReachEnd={onReachEnd}
      card={(prompt) => (
        <>
          <NameCell {...prompt} />
          <div className="truncate text-xs text-faint">
            version {prompt.version} · {prompt.type} · <Time iso={prompt.updatedAt} isAge />
          </div>
        </>
      )}
    />
  );
}

const columns: readonly Column<Prompt>[] = [
  { key: "name", header: "Prompt", width: "minmax(12rem, 1fr)", cell: (prompt) => <NameCell {...prompt} /> },
  { key: "type", header: "Type", width: "5rem", cell: ({ type }) => type },
  { key: "version", header: "Version", width: "5rem", align: "right", cell: ({ version }) => version },
  { key: "tags", header: "Tags", width: "minmax(6rem, 14rem)", cell: ({ tags }) => <Words words={tags} /> },
  {
    key: "changed",
    header: "Changed",
    width: "7rem",
    align: "right",
    cell: ({ updatedAt }) => <Time iso={updatedAt} isAge />,
  },
];

function NameCell({ _id: promptId, name, text, description }: Prompt) {
  const { projectId } = useApi();
  return (
    <>
      <Link
        to="/p/$projectId/prompts/$promptId"
        params={{ projectId, promptId }}
        className="block truncate font-medium text-ink no-underline hover:text-accent"
      >
        {name}
      </Link>
      <div className="truncate text-soft">{description ?? text.slice(0, 200)}</div>
    </>
  );
}

function Words({ words }: { words: readonly string[] }) {
  if (words.length === 0) return <span className="text-faint">-</span>;
  return (
    <span className="flex gap-1 overflow-hidden">
      {words.map((word) => (
        <Badge key={word}>{word}</Badge>
      ))}
    </span>
  );
}
