/** The texts for those who are not signed in; apart from `texts` because they are loaded with these pages only. */
export const entranceTexts = {
  mailLinks: {
    back: 'Back to signing in',
    confirm: {
      action: 'Confirm the address',
      done: (address: string) => `${address} is the address of your account now.`,
      title: 'Your new address',
    },
    goOn: 'Go on',
    join: {
      action: 'Create the account',
      address: (address: string) => `You will sign in as ${address}.`,
      done: (address: string) => `Your account is ready. Sign in as ${address}.`,
      explanation: 'We send you an email with a link to create your account.',
      haveAccount: 'I have an account: sign in',
      name: 'Your name',
      offer: (organization: string, inviter: string | null) =>
        inviter === null
          ? `You can join ${organization}.`
          : `${inviter} invites you to ${organization}.`,
      sent: (address: string) => `An email to ${address} is on its way, with a link to go on.`,
      title: 'Join',
    },
    newPassword: 'New password',
    putAside: 'Not now',
    reset: {
      action: 'Choose this password',
      done: (address: string) => `Sign in as ${address} with your new password.`,
      explanation: 'We send you an email with a link to choose a new password.',
      sent: (address: string) =>
        `If there is an account with the address ${address}, an email to it is on its way. Its link works for an hour.`,
      title: 'Choose a new password',
    },
    send: 'Send the link',
  },
  signIn: {
    address: 'Email address',
    allDemo: (count: number) => `Show all ${count} people`,
    ended: 'Your session has ended. Sign in to go on.',
    demo: 'People of this development server',
    forgotten: 'Forgot your password?',
    insecure:
      'You can sign in only at an address that begins with https, or on the machine of the server itself. Ask for the https address of this server.',
    pageTitle: (organization: string) => `Sign in to ${organization}`,
    password: 'Password',
    passwordRule: (min: number) =>
      `At least ${min} characters that nobody guesses: no names, no rows of keys. Three or four words are good.`,
    product: 'Parley',
    reference: 'Reference of the API',
    signIn: 'Sign in',
    signUp: 'Create an account',
    signingIn: 'Signing in …',
  },
  signOn: {
    back: 'Go on',
    joinWith: (provider: string) => `Join with ${provider}`,
    providers: 'Other ways to sign in',
    title: 'Signing in',
    waiting: 'One moment …',
    with: (provider: string) => `Sign in with ${provider}`,
  },
} as const;
