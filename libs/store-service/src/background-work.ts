import type { SchemaPreparation } from "@touchstone/db";

/** Work that goes on until it is stopped. */
export interface Stoppable {
  stop(): Promise<void> | void;
}

/** Work that is begun once a service is ready for it. What it answers together is stopped together. */
export type Begin = () => Work | readonly Work[];
/** A consumer that is still being set up is work, too. */
type Work = Stoppable | Promise<Stoppable>;

/**
 * Begins background work in order once a preparation is done, and stops it in the opposite order. A stop that comes before
 * begins nothing. A failure to begin, at once or while work is being set up, goes to `onFailure`; what was begun before it
 * is stopped as usual. Work that fails to stop does not keep the rest from it.
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
      // A preparation that was given up is done, too.
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
