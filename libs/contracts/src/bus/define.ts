import type { z } from "zod";

/** The services, as they are named in folders, subjects, schemas and identities. */
export const serviceNames = ["gateway", "auth", "ingest", "eval-runs", "judge", "monitor", "dropin"] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The services that use the bus, each with a user there. */
export const busServices = serviceNames.filter((name) => name !== "dropin");

/** A request on the bus: any member of the owner's queue group answers it. Subject: `svc.<owner>.<verb-noun>.v1`. */
export interface RequestContract<Body extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  kind: "request";
  subject: string;
  answeredBy: ServiceName;
  askedBy: readonly ServiceName[];
  body: Body;
  reply: Reply;
}

/** An event on the bus, kept by JetStream and delivered at least once. Subject: `event.<noun>.<past-verb>.v1`. */
export interface EventContract<Body extends z.ZodType = z.ZodType> {
  kind: "event";
  subject: string;
  publishedBy: ServiceName;
  consumedBy: readonly ServiceName[];
  /**
   * The possible durable consumers, each named `<service>-<purpose>`; NATS refuses others. A consuming service without
   * an entry has one under its own name.
   */
  durables?: readonly string[];
  /**
   * The only member of the body, a list: events that wait at the same time may be published as one with all their
   * items. Consumers handle each item independently of the others, and repetitions of it.
   */
  gathers?: string;
  body: Body;
}

/** Declares a request; the golden `bus.v1.json` is generated from the declarations. */
export function defineRequest<Body extends z.ZodType, Reply extends z.ZodType>(
  contract: Omit<RequestContract<Body, Reply>, "kind">,
): RequestContract<Body, Reply> {
  return { kind: "request", ...contract };
}

/** Declares an event; see {@link defineRequest}. */
export function defineEvent<Body extends z.ZodType>(contract: Omit<EventContract<Body>, "kind">): EventContract<Body> {
  return { kind: "event", ...contract };
}
