import type { AnyRefusal, OperationName, RefusalCode, RefusalWith } from './operation-types.ts';

/**
 * The server refused a request. `body` is its answer, and the `code` decides its other members: `error.is('BAD_NARROW')` gives
 * `error.body.desc` its type, and a code that no operation answers does not compile.
 */
export class ApiError<Refusal extends AnyRefusal = AnyRefusal> extends Error {
  override readonly name = 'ApiError';
  readonly operation: OperationName;
  readonly status: number;
  readonly body: Refusal;
  /** The time that the server asks for before a repeat, in seconds. */
  readonly retryAfterSecs: number | undefined;

  constructor(
    operation: OperationName,
    answer: {
      readonly status: number;
      readonly body: Refusal;
      readonly retryAfterSecs?: number | undefined;
    },
  ) {
    super(answer.body.msg);
    this.operation = operation;
    this.status = answer.status;
    this.body = answer.body;
    this.retryAfterSecs = answer.retryAfterSecs;
  }

  /** A documented code, or undefined for a refusal without one. */
  get code(): RefusalCode | undefined {
    return this.body.code;
  }

  /** Whether the refusal has this code, and so the members of `body` that belong to it. */
  is<Code extends RefusalCode>(code: Code): this is ApiError<RefusalWith<Code>> {
    const own: string | undefined = this.body.code;
    return own === code;
  }
}

/** There was no answer, none in time, or an invalid one, so the outcome of the request is unknown. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly operation: OperationName;
  /** The status, if a proxy between client and server answered. */
  readonly status: number | undefined;
  readonly retryAfterSecs: number | undefined;

  constructor(
    operation: OperationName,
    text: string,
    details: {
      readonly status?: number;
      readonly retryAfterSecs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(`${operation}: ${text}`, 'cause' in details ? { cause: details.cause } : undefined);
    this.operation = operation;
    this.status = details.status;
    this.retryAfterSecs = details.retryAfterSecs;
  }
}
