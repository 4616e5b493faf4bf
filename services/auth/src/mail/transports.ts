import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Secret } from "@touchstone/contracts";
import { createOutboundFetch } from "@touchstone/service-kit";
import { createTransport } from "nodemailer";
import type { MailTransport } from "./mailer.ts";

const deadlineMs = 10_000;

/** SMTP (`SERVICE_SMTP_URL`). STARTTLS is used if the server offers it; `smtps:` is TLS from the start. */
export function createSmtpTransport(url: Secret, from: string): MailTransport {
  const transport = createTransport({
    url: url.reveal(),
    dnsTimeout: deadlineMs,
    connectionTimeout: deadlineMs,
    greetingTimeout: deadlineMs,
    socketTimeout: deadlineMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    // Addresses as objects: text would be parsed, and a comma in it would make two recipients.
    send: async ({ to, subject, text }) =>
      void (await transport.sendMail({ from, to: { name: "", address: to }, subject, text })),
    close: () => transport.close(),
  };
}

export interface HostedMailOptions {
  apiKey: Secret;
  from: string;
  /** The URL of the API, if not the default; it may be in the private network. */
  url?: string;
}

/** The hosted mail API (`SERVICE_RESEND_API_KEY`): one HTTPS request for each mail. */
export function createHostedTransport({ apiKey, from, url }: HostedMailOptions): MailTransport {
  const fetch = createOutboundFetch({ allowsPrivateHosts: url !== undefined, totalMs: deadlineMs, idleMs: deadlineMs });
  return {
    async send({ to, subject, text }) {
      const answer = await fetch(url ?? hostedUrl, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey.reveal()}`, "content-type": "application/json" },
        body: JSON.stringify({ from, to: [to], subject, text }),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw Object.assign(new Error("the mail API refused"), { code: `HTTP_${answer.status}` });
    },
    close: () => void fetch.close(),
  };
}

const hostedUrl = "https://api.resend.com/emails";

/** One JSON file for each mail (`SERVICE_EMAIL_DEBUG_DIR`), for tests and trials; nothing is sent. */
export function createFileTransport(folder: string, from: string): MailTransport {
  return {
    async send({ to, subject, text, kind }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = path.join(folder, `${Date.now()}-${randomUUID()}.json`);
      await writeFile(file, JSON.stringify({ from, to, subject, text, kind }), { mode: 0o600 });
    },
    close: () => undefined,
  };
}
