/** Signals that nobody waits for the answer any more, like an AbortSignal, which costs more than a poll can afford. */
export type HangUpSignal = {
  readonly aborted: boolean;
  readonly addEventListener: (type: 'abort', listener: () => void) => void;
  readonly removeEventListener: (type: 'abort', listener: () => void) => void;
};
