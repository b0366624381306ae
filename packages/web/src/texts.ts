/** Every text of the client that a person reads. */
export const texts = {
  failure: {
    noAnswer: 'The server cannot be reached.',
    notSent: 'It is not known whether this was sent.',
    other: 'That did not work.',
    tooManyRequests: 'Too many requests. Try again in a moment.',
    unavailable: 'The server is not available at the moment.',
  },
} as const;
