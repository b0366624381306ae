/** The server refuses this mail for good, such as for its recipient. */
export class MailRefused extends Error {}

/** The mail was not sent, as far as this server knows. */
export class MailNotSent extends Error {
  /** Whether the server may have taken it nevertheless, because its answer was lost. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options: ErrorOptions & { readonly mayHaveArrived: boolean }) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}
