/** What links in mails open (decision 0050). */
import { signal } from '@preact/signals';

/** A new password, an address that is proved, or a new account. */
const purposes = ['reset', 'confirm', 'join'] as const;

export type MailLink = {
  readonly purpose: (typeof purposes)[number];
  readonly token: string;
};

/** The link that this page was opened by, until it was used or put aside. It is kept nowhere else. */
export const mailLink = signal<MailLink | undefined>(undefined);

export function parseMailLink(fragment: string): MailLink | undefined {
  const [, name, token = ''] = /^#(\w+)\/([\w-]{1,200})$/.exec(fragment) ?? [];
  const purpose = purposes.find((each) => each === name);
  return purpose && { purpose, token };
}
