import { type Bus, isBusError } from "@touchstone/bus";
import { AppError } from "@touchstone/service-kit";

/** Asks the judge over the bus (decision 28). Throws 503 if no judge answers. */
export type AskJudge = <Reply>(question: (bus: Bus) => Promise<Reply>) => Promise<Reply>;

/** Time limit of one answer. */
export const judgeBounds = { timeoutMs: 10_000 };

export function createJudgeAsker(findBus: () => Bus | null): AskJudge {
  return async (question) => {
    const bus = findBus();
    if (bus === null) throw new AppError("service_unavailable", "The gateway is starting; retry.");
    try {
      return await question(bus);
    } catch (cause) {
      if (!isBusError(cause)) throw cause;
      throw new AppError("service_unavailable", "The judge service could not answer; retry.", { cause });
    }
  };
}
