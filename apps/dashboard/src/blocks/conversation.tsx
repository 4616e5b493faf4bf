import { useMemo, useState } from "react";
import { classNames } from "../ui/class-names.ts";
import { formatCount } from "../ui/format.ts";
import { MessagePart } from "./conversation-part.tsx";
import type { ChatMessage, Part, Speaker } from "./message.ts";
import { joinSpeakers } from "./messages.ts";

/** Histories grow with every turn; readers want the newest messages. */
const messagesAtOnce = 60;

/**
 * The messages of a conversation, top to bottom: the speaker on the left, the text on the right. Tool calls contain
 * their results.
 */
export function Conversation({ messages: said }: { messages: readonly ChatMessage[] }) {
  const messages = useMemo(() => joinSpeakers(said), [said]);
  const [shown, setShown] = useState(messagesAtOnce);
  const hidden = Math.max(0, messages.length - shown);
  return (
    <div className="@container max-w-4xl">
      {hidden > 0 && (
        <button
          type="button"
          onClick={() => setShown(shown + messagesAtOnce)}
          className="min-h-8 w-full border-b border-line text-left text-accent max-md:min-h-11"
        >
          Show earlier messages <span className="text-faint">({formatCount(hidden)})</span>
        </button>
      )}
      <ol className="m-0 list-none p-0">
        {messages.slice(hidden).map((message, index) => (
          <Said key={hidden + index} message={message} />
        ))}
      </ol>
    </div>
  );
}

const marks: Record<Speaker, string> = {
  system: "bg-control",
  user: "bg-ink",
  assistant: "bg-kind-llm",
  tool: "bg-kind-tool",
  input: "bg-kind-agent",
  output: "bg-kind-agent",
};

function Said({ message: { speaker, parts } }: { message: ChatMessage }) {
  return (
    <li className="grid gap-x-3 gap-y-1 border-b border-line py-2.5 last:border-b-0 @md:grid-cols-[5rem_minmax(0,1fr)]">
      <div className="flex items-center gap-2 self-start text-xs leading-5 text-soft">
        <span aria-hidden className={classNames("h-3 w-1 rounded-full", marks[speaker])} />
        {speaker}
      </div>
      <div className="flex min-w-0 flex-col gap-2">
        {parts.length === 0 && <span className="text-faint">(empty)</span>}
        {parts.map((part: Part, index) => (
          <MessagePart key={index} part={part} speaker={speaker} />
        ))}
      </div>
    </li>
  );
}
