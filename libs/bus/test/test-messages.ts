import { defineEvent, defineRequest } from "@touchstone/contracts";
import { z } from "zod";

/** A request that eval-runs asks and judge answers. */
export const weighText = defineRequest({
  subject: "svc.judge.weigh-text.v1",
  askedBy: ["eval-runs"],
  answeredBy: "judge",
  body: z.object({ text: z.string() }),
  reply: z.object({ weight: z.number(), by: z.string() }),
});

/** An event that two services consume, one of them for two purposes. */
export const thingTold = defineEvent({
  subject: "event.thing.told.v1",
  publishedBy: "ingest",
  consumedBy: ["monitor", "gateway"],
  durables: ["monitor-first", "monitor-second"],
  body: z.object({ number: z.number(), padding: z.string().optional() }),
});

/** An event that monitor does not consume. */
export const secretTold = defineEvent({
  subject: "event.secret.told.v1",
  publishedBy: "auth",
  consumedBy: ["gateway"],
  body: z.object({ number: z.number() }),
});

export const worldMessages = [weighText, thingTold, secretTold];
