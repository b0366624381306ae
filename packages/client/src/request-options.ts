import type { AnswerOf, OperationName, ParametersOf } from './operation-types.ts';

export type RequestOptions = {
  /** Ends the request and its repeats; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly repeatsMax?: number;
  /**
   * The server handles requests with the same key only once, so that the request may be repeated. Sends of messages get a key by
   * themselves, except from a page of another origin, which may not send the header.
   */
  readonly idempotencyKey?: string;
  /** Further headers of an operation, such as the name of a webhook's event. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** May be omitted if all parameters may be. */
export type RequestArguments<Name extends OperationName> =
  Partial<ParametersOf<Name>> extends ParametersOf<Name>
    ? [parameters?: ParametersOf<Name>, options?: RequestOptions]
    : [parameters: ParametersOf<Name>, options?: RequestOptions];

/** A caller of operations; see `ParleyClient.request`. */
export type Requests = {
  request<Name extends OperationName>(
    operation: Name,
    ...rest: RequestArguments<Name>
  ): Promise<AnswerOf<Name>>;
};
