/** A judge could not decide. */
export class UndecidedError extends Error {
  /** A retry on the same day will not change that. */
  readonly isLasting: boolean;
  /** A provider was called, or may have been: the call counts. */
  readonly wasAsked: boolean;

  constructor(message: string, { isLasting, wasAsked }: { isLasting: boolean; wasAsked: boolean }) {
    super(message);
    this.isLasting = isLasting;
    this.wasAsked = wasAsked;
  }
}

/** The project's remaining live judge calls of the day are not enough. */
export class BudgetSpentError extends UndecidedError {
  constructor(message: string) {
    super(message, { isLasting: true, wasAsked: false });
  }
}
