import type { SchemaPreparation } from "@touchstone/db";

/** Work that continues until it is stopped. */
export interface Stoppable {
  stop(): Promise<void> | void;
}

/** Begins work once a service is ready for it. Items returned together are stopped together. */
export type Begin = () => Work | readonly Work[];
/** A consumer that is still being set up counts as work. */
type Work = Stoppable | Promise<Stoppable>;

/**
 * Begins background work in order once a preparation is done, and stops it in reverse order. If it is stopped before,
 * nothing begins. A failure to begin, at once or during setup, goes to `onFailure`; work that has begun is stopped as
 * usual. A failure to stop one item does not keep the others running.
 */
export function startBackgroundWork({
  preparation,
  begins,
  isStopping,
  onFailure,
}: {
  preparation: Pick<SchemaPreparation, "done" | "state">;
  begins: readonly Begin[];
  isStopping: () => boolean;
  onFailure: (cause: unknown) => void;
}): { stop(): Promise<void> } {
  const begun = new AsyncDisposableStack();
  const noteFailure = (cause: unknown): null => {
    onFailure(cause);
    return null;
  };
  void preparation.done
    .then(() => {
      // A cancelled preparation resolves, too.
      if (isStopping() || preparation.state() !== "ok") return;
      for (const begin of begins) {
        const together = [begin()].flat().map((work) => Promise.resolve(work).catch(noteFailure));
        begun.defer(async () => {
          await Promise.all(together.map(async (work) => (await work)?.stop()));
        });
      }
    })
    .catch(onFailure);
  return { stop: () => begun.disposeAsync() };
}
