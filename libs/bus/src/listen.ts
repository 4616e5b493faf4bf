import type { Subscription } from "@nats-io/transport-node";
import type { EventContract, ServiceName } from "@touchstone/contracts";
import type { z } from "zod";
import type { Listening } from "./bus.ts";
import type { BusLogger } from "./bus-logger.ts";
import type { Connection } from "./connection.ts";
import { decodeBody } from "./wire.ts";

/** Receives an event as it is published, independently of the stream that stores it; see `Bus.listen`. */
export async function startListening<C extends EventContract>(
  connection: Connection,
  { service, logger }: { service: ServiceName; logger: BusLogger },
  contract: C,
  handler: (body: z.output<C["body"]>) => void,
): Promise<Listening> {
  const { subject } = contract;
  if (!contract.consumedBy.includes(service)) throw new Error(`${service} does not consume ${subject}`);
  let subscription: Subscription | null = null;

  const forget = connection.watch({
    established(nats) {
      subscription = nats.subscribe(subject, {
        callback(err, message) {
          if (err) return;
          const body = decodeBody(contract.body, message.data);
          if (!body.ok) {
            logger.warn(
              { operation: subject, problem: body.problem },
              "bus event does not match its contract; unheard",
            );
            return;
          }
          try {
            handler(body.body as z.output<C["body"]>);
          } catch (err) {
            logger.error({ err, operation: subject }, "bus listener failed");
          }
        },
      });
    },
  });
  await connection.firstAttempt;
  await connection.flush();

  return {
    async stop() {
      forget();
      if (subscription && !subscription.isClosed()) subscription.unsubscribe();
    },
  };
}
