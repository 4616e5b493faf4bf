import { useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { copyText } from "./copy.ts";
import { CheckIcon, CopyIcon } from "./icons.tsx";
import { useToasts } from "./toasts.tsx";

/** Copies a text and confirms it for two seconds, or reports that the browser refused. With `label` the button has a text. */
export function CopyButton({
  text,
  name,
  label,
  onPress,
}: {
  text: string;
  name: string;
  label?: string;
  /** Called also if the browser refuses. */
  onPress?: () => void;
}) {
  const toasts = useToasts();
  const [isDone, setDone] = useState(false);
  async function copy(): Promise<void> {
    onPress?.();
    if (!(await copyText(text))) {
      return toasts.fail("This browser does not let pages copy. Select the text and copy it with the keyboard.");
    }
    setDone(true);
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
