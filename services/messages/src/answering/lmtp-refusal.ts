import { ApiError } from '@parley/api';

const textMaxLength = 200;

/** An answer of LMTP that is no acceptance. The relay tells the sender of a permanent one (5xx), and repeats after another (4xx). */
export class LmtpRefusal extends Error {
  readonly responseCode: number;

  /**
   * @param responseCode such as 550
   * @param status with its enhanced form (RFC 3463), such as 5.1.1
   * @param text of any characters
   */
  constructor(responseCode: number, status: string, text: string) {
    const line = text.replaceAll(/[^ -~]+/g, '?').slice(0, textMaxLength);
    super(`${status} ${line}`);
    this.name = 'LmtpRefusal';
    this.responseCode = responseCode;
  }

  get isPermanent(): boolean {
    return this.responseCode >= 500;
  }
}

const tooManyRequests = 429;

/** A fault as an answer of LMTP: what may go away by itself is tried again. */
export function lmtpRefusalOf(error: unknown): LmtpRefusal {
  if (error instanceof LmtpRefusal) return error;
  if (!(error instanceof ApiError) || error.status >= 500)
    return new LmtpRefusal(451, '4.3.0', 'Temporarily unavailable');
  if (error.status === tooManyRequests) return new LmtpRefusal(451, '4.7.1', error.message);
  return new LmtpRefusal(550, '5.7.1', error.message);
}
