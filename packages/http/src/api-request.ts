import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Caller } from '@parley/contracts';

import { clientNameOf } from './client-name.ts';
import { findRawText } from './decode-parameters.ts';
import type { RawParameters } from './decode-parameters.ts';
import type { UntypedRequest } from './endpoint.ts';
import { readFormFiles } from './form-files.ts';
import type { FormFile } from './form-files.ts';
import { receiveFile } from './receive-file.ts';
import type { ReceiveFile } from './receive-file.ts';

type Parts = {
  readonly raw: RawParameters;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly caller: Caller | undefined;
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
};

/** What a handler sees of a request. What most handlers do not ask for is made only when asked. */
export class ApiRequest implements UntypedRequest {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly caller: Caller | undefined;
  readonly requestId: string;
  readonly #parts: Parts;
  #signal: AbortSignal | undefined;

  constructor(parts: Parts) {
    this.parameters = parts.parameters;
    this.caller = parts.caller;
    this.requestId = parts.requestId;
    this.#parts = parts;
  }

  get clientName(): string {
    const { raw, request } = this.#parts;
    return clientNameOf(
      raw.query.get('client'),
      raw.form.get('client'),
      request.headers['user-agent'],
    );
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const { response } = this.#parts;
      const controller = new AbortController();
      this.#signal = controller.signal;
      const abort = (): void => {
        if (!response.writableFinished) controller.abort();
      };
      if (response.destroyed) abort();
      else response.once('close', abort);
    }
    return this.#signal;
  }

  readonly rawText = (name: string): string | undefined => findRawText(this.#parts.raw, name);

  readonly header = (name: string): string | undefined => {
    const value = this.#parts.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };

  readonly formFiles = (): Promise<FormFile[]> =>
    readFormFiles(this.#parts.request.headers['content-type'], this.#parts.raw.body);

  get query(): string {
    const { url = '' } = this.#parts.request;
    const question = url.indexOf('?');
    return question < 0 ? '' : url.slice(question + 1);
  }

  /** By HTTP an answer may have any length. */
  readonly admitFile = (): void => undefined;

  readonly receiveFile: ReceiveFile = (options) => receiveFile(this.#parts.request, options);
}
