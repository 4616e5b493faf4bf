import { type Logger, OutboundError } from "@touchstone/service-kit";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** Its purpose: the only part of a mail in the log. */
  kind: "verification" | "password-reset" | "invitation";
}

/** Delivers a mail. Rejects if it was not accepted; must have a deadline. */
export interface MailTransport {
  send(mail: Mail): Promise<void>;
  close(): void;
}

export interface Mailer {
  /** Queues a mail and returns at once: the time of sending would reveal whether an address is known. */
  post(mail: Mail): void;
  /** Waits a while for mails in progress, and drops the rest. */
  stop(): Promise<void>;
}

export interface MailerOptions {
  transport: MailTransport;
  logger: Logger;
  /** Pauses before the second attempt, the third, and so on. */
  retryAfterMs?: readonly number[];
}

const underWayMax = 500;
const stopWithinMs = 3_000;

/**
 * Sends mails in the background, with a few attempts each. A restart loses pending mails: the user requests another.
 */
export function createMailer({ transport, logger, retryAfterMs = [1_000, 5_000] }: MailerOptions): Mailer {
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function deliver(mail: Mail): Promise<void> {
    for (const pauseMs of [...retryAfterMs, null]) {
      try {
        await transport.send(mail);
        logger.info({ kind: mail.kind }, "mail sent");
        return;
      } catch (thrown) {
        const facts = { kind: mail.kind, reason: nameOf(thrown) };
        if (pauseMs === null || stopping.signal.aborted) {
          logger.error(facts, "mail was not sent and is given up");
          return;
        }
        logger.warn(facts, "mail was not sent; trying again");
        await pause(pauseMs, stopping.signal);
      }
    }
  }

  return {
    post(mail) {
      if (underWay.size >= underWayMax) {
        logger.error({ kind: mail.kind, underWay: underWay.size }, "mail was dropped: too many are under way");
        return;
      }
      const delivery = deliver(mail).finally(() => underWay.delete(delivery));
      underWay.add(delivery);
    },
    async stop() {
      stopping.abort();
      await Promise.race([Promise.all(underWay), pause(stopWithinMs)]);
      transport.close();
    },
  };
}

/** Servers repeat addresses in their messages: only the code of a failure is logged. */
function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "unknown";
  if (thrown instanceof OutboundError) return thrown.kind;
  const code = "code" in thrown ? String(thrown.code) : thrown.name;
  const status = "responseCode" in thrown ? ` ${String(thrown.responseCode)}` : "";
  return `${code}${status}`;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    timer.unref();
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
