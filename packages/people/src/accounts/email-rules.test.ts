import { expect, test } from 'vitest';

import { checkAdmitted, isEmailShaped } from './email-rules.ts';

test.each(['ann@example.com', 'Ann.Lee+x@sub.example.co', 'ann@localhost', 'ünï@exämple.com'])(
  '%s looks like an address',
  (email) => expect(isEmailShaped(email)).toBe(true),
);

test.each([
  ['no at sign', 'ann.example.com'],
  ['two at signs', 'a@b@c.d'],
  ['nothing before it', '@example.com'],
  ['nothing after it', 'ann@'],
  ['a space', 'an n@example.com'],
  ['an empty label', 'ann@example..com'],
  ['a control character', 'ann\u0000@example.com'],
  ['half of a surrogate pair', 'ann\uD800@example.com'],
  ['more than mail can carry', `${'a'.repeat(250)}@example.com`],
])('an address with %s is invalid', (_what, email) => expect(isEmailShaped(email)).toBe(false));

const open = { emails_restricted_to_domains: false, disallow_disposable_email_addresses: true };
const restricted = { ...open, emails_restricted_to_domains: true };
const admitted = [
  { domain: 'example.com', allowSubdomains: false },
  { domain: 'Harbour.example', allowSubdomains: true },
];

test.each([
  ['x@mailinator.com', open, 'Disposable email addresses are not allowed in this organization'],
  ['x@other.com', restricted, "Email 'x@other.com' not allowed in this organization"],
  ['x@sub.example.com', restricted, "Email 'x@sub.example.com' not allowed in this organization"],
  ['a+b@example.com', restricted, 'Email addresses containing + are not allowed.'],
])('%s is refused', (email, settings, msg) => {
  expect(() => checkAdmitted(email, settings, admitted)).toThrow(msg);
});

test.each([
  ['a+b@example.com', open],
  ['x@EXAMPLE.com', restricted],
  ['x@deep.harbour.example', restricted],
  ['x@mailinator.com', { ...open, disallow_disposable_email_addresses: false }],
])('%s is admitted', (email, settings) => {
  expect(() => checkAdmitted(email, settings, admitted)).not.toThrow();
});
