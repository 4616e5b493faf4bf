import type { Mail } from "./mailer.ts";

/** Asks for a click to verify that the recipient owns the address. */
export function verificationLetter(to: string, url: string): Mail {
  return {
    to,
    kind: "verification",
    subject: "Verify your address",
    text: `Open this link to verify your address for Touchstone. It works for an hour.\n\n${url}\n\nIf you did not sign up, ignore this mail.\n`,
  };
}

/** Contains the link for choosing a new password. */
export function passwordResetLetter(to: string, url: string): Mail {
  return {
    to,
    kind: "password-reset",
    subject: "Choose a new password",
    text: `Open this link to choose a new password for Touchstone. It works once, for an hour.\n\n${url}\n\nIf you did not ask for it, ignore this mail; your password stays as it is.\n`,
  };
}

/**
 * Contains the link of an invitation. The organization's name is user input: it is put on one line and cut to the
 * length of a name.
 */
export function invitationLetter(
  to: string,
  { organizationName, url }: { organizationName: string; url: string },
): Mail {
  const name = organizationName.replaceAll(/\s+/g, " ").slice(0, 100);
  return {
    to,
    kind: "invitation",
    subject: "You are invited to Touchstone",
    text: `You are invited to join "${name}" on Touchstone. Open this link, and sign in or sign up with this address. It works once, for seven days.\n\n${url}\n\nIf you did not expect it, ignore this mail.\n`,
  };
}
