/** Why an address cannot be used (reference facts, people 9 and 14.5). */
export const emailFaultTexts = {
  shape: 'Invalid address.',
  'outside domain': 'Outside your domain.',
  disposable: 'Please use your real email address.',
  plus: 'Email addresses containing + are not allowed.',
} as const;

export const takenTexts = {
  active: 'Already has an account.',
  deactivated: 'Account has been deactivated.',
} as const;
