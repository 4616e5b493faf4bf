import { useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { CheckIcon, CopyIcon } from "./icons.tsx";

/** Copies a text and confirms it for two seconds. With `label` the button has a text. */
export function CopyButton({
  text,
  name,
  label,
  onCopied,
}: {
  text: string;
  name: string;
  label?: string;
  onCopied?: () => void;
}) {
  const [isDone, setDone] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text).catch(() => copyWithoutPermission(text));
    setDone(true);
    onCopied?.();
    setTimeout(() => setDone(false), 2_000);
  }
  const icon = isDone ? <CheckIcon /> : <CopyIcon />;
  if (label !== undefined) {
    return (
      <Button onClick={() => void copy()}>
        {icon} {isDone ? "Copied" : label}
      </Button>
    );
  }
  return (
    <IconButton label={isDone ? "Copied" : `Copy ${name}`} onClick={() => void copy()}>
      {icon}
    </IconButton>
  );
}

/** Over plain HTTP beyond loopback, scripts have no clipboard access; a selected field can still be copied. */
function copyWithoutPermission(text: string): void {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}
