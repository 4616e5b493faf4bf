/** A judge could not say. */
export class UndecidedError extends Error {
  /** Asking again will not change that, today. */
  readonly isLasting: boolean;
  /** A provider was asked, or may have been: the call counts. */
  readonly wasAsked: boolean;

  constructor(message: string, { isLasting, wasAsked }: { isLasting: boolean; wasAsked: boolean }) {
    super(message);
    this.isLasting = isLasting;
    this.wasAsked = wasAsked;
  }
}

/** What is left of the project's live judge calls of the day is not enough to ask. */
export class BudgetSpentError extends UndecidedError {
  constructor(message: string) {
    super(message, { isLasting: true, wasAsked: false });
  }
}
