import { Badge } from "../ui/page.tsx";
import type { Delivery } from "./queries.ts";

const looks = { pending: "warn", delivered: "good", failed: "bad" } as const;
const words = { pending: "on its way", delivered: "delivered", failed: "given up" } as const;

export function DeliveryStatus({ status }: { status: Delivery["status"] }) {
  return <Badge look={looks[status]}>{words[status]}</Badge>;
}

/** The receiver's last answer, as text. */
export function outcomeOf({
  lastStatus,
  lastError,
  attempts,
}: Pick<Delivery, "lastStatus" | "lastError" | "attempts">) {
  const answer = lastError ?? (lastStatus === null ? "nothing was sent yet" : `the receiver answered ${lastStatus}`);
  return attempts > 1 ? `${answer} (try ${attempts})` : answer;
}
