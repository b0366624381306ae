import type { AnyRefusal, OperationName, RefusalCode, RefusalWith } from './operation-types.ts';

/**
 * The server refused a request. What it said is in `body`, whose `code` tells what else is there: `error.is('BAD_NARROW')` gives
 * `error.body.desc` its type, and a code that no operation answers does not compile.
 */
export class ApiError<Refusal extends AnyRefusal = AnyRefusal> extends Error {
  override readonly name = 'ApiError';
  readonly operation: OperationName;
  readonly status: number;
  readonly body: Refusal;
  /** How long the server asks to wait before the request is repeated, in seconds. */
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

  /** Of the documented codes one, or nothing for a refusal that has none. */
  get code(): RefusalCode | undefined {
    return this.body.code;
  }

  /** Tells whether the refusal has this code, and the keys of `body` with it. */
  is<Code extends RefusalCode>(code: Code): this is ApiError<RefusalWith<Code>> {
    const own: string | undefined = this.body.code;
    return own === code;
  }
}

/** There was no answer, none in time, or one that is not the interface's: whether the server did what was asked is not known. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly operation: OperationName;
  /** The status, when something between client and server answered. */
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
