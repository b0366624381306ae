import { hasPlaceholder } from './inline-run.ts';
import type { InlinePass } from './inline-run.ts';

/** An address contains no parenthesis; otherwise each of many references without an end would be searched to the end of the text. */
export const avatarReference = /!(?:gr)?avatar\(([^()]*)\)/g;

/** `!avatar(EMAIL)` and `!gravatar(EMAIL)` (reference facts, markdown 4.7). */
export const avatars: InlinePass = (text, run) => {
  return text.replaceAll(avatarReference, (whole, address: string) => {
    if (hasPlaceholder(address)) return whole;
    const email = address.trim().toLowerCase();
    const user = run.context.userByEmail?.(email);
    return run.add({
      kind: 'void',
      tag: 'img',
      attributes: [
        ['alt', email],
        ['class', 'message_body_gravatar'],
        ['src', `/avatar/${user === undefined ? email : user.id}?s=30`],
        ['title', email],
      ],
    });
  });
};
