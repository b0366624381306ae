import type { ParametersOf } from '@parley/client';

/** What the client asks for at `register`: the initial state and the events of these types. */
export const registerParameters = {
  apply_markdown: true,
  client_gravatar: false,
  include_subscribers: true,
  queue_lifespan_secs: 600,
} satisfies ParametersOf<'POST /register'>;
