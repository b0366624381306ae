/** The sender of mails. */
export type MailSender = { readonly name: string; readonly address: string };

const pattern =
  /^(?:"?([^"<>@\p{C}]*)"?\s*<([^\s@<>"(),:;\p{C}]+@[^\s@<>"(),:;\p{C}]+)>|([^\s@<>"(),:;\p{C}]+@[^\s@<>"(),:;\p{C}]+))$/u;

/**
 * Parses `ADDRESS` or `NAME <ADDRESS>`.
 *
 * @throws Error whose message completes "PARLEY_MAIL_FROM ..."
 */
export function parseMailSender(text: string): MailSender {
  const match = pattern.exec(text.trim());
  const address = match?.[2] ?? match?.[3];
  if (address === undefined) throw new Error('must be an address, or NAME <ADDRESS>');
  return { name: match?.[1]?.trim() ?? '', address };
}
