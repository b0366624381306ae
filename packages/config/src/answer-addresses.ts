/** The addresses for answers to mails, in lower case: every relay keeps that. */
export type AnswerAddresses = {
  /** What stands before and after a token. */
  readonly before: string;
  readonly after: string;
};

/** What RFC 5321 (4.5.3.1.1) permits before the at sign. */
const localPartMax = 64;
/** Of a token, whose form is decided in `@parley/outgoing/mail`. */
export const answerTokenLength = 42;

const pattern = /^([a-z0-9._+=-]*)%([a-z0-9._+=-]*)(@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)$/;

/**
 * Parses an address with `%` in the place of the token, such as `reply+%@chat.example`.
 *
 * @throws Error whose message completes "PARLEY_MAIL_REPLY_ADDRESS ..."
 */
export function parseAnswerAddresses(text: string): AnswerAddresses {
  const match = pattern.exec(text.trim().toLowerCase());
  const [, before = '', rest = '', domain = ''] = match ?? [];
  if (match === null || before.startsWith('.') || rest.endsWith('.'))
    throw new Error('must be an address with one %, such as reply+%@chat.example');
  const longest = localPartMax - answerTokenLength;
  if (before.length + rest.length > longest)
    throw new Error(`must have at most ${longest} characters beside the % before its @`);
  return { before, after: rest + domain };
}
