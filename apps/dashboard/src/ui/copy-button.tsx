import { useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { CheckIcon, CopyIcon } from "./icons.tsx";

/** Copies a text and shows for two seconds that it did. With `label` it is a worded button. */
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

/** Over plain HTTP beyond loopback browsers offer no clipboard to scripts; a selected field can still be copied. */
function copyWithoutPermission(text: string): void {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}
