import type { ComponentProps } from "react";
import { TextField } from "../ui/field.tsx";

export const passwordMinChars = 8;

/** A new password; shows the requirements once a too short one was typed. */
export function NewPasswordField(props: ComponentProps<typeof TextField> & { value: string }) {
  const isShort = props.value !== "" && props.value.length < passwordMinChars;
  return (
    <TextField
      type="password"
      autoComplete="new-password"
      minLength={passwordMinChars}
      maxLength={128}
      hint={isShort ? `${passwordMinChars - props.value.length} more` : `At least ${passwordMinChars} characters`}
      {...props}
    />
  );
}
