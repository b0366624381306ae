import { once } from 'node:events';

import { runServices } from '../src/run-services.ts';

/** Of two services one waits for a store that never answers, and the other cannot start. */
process.exitCode = await runServices(
  {
    messages: async (frame) => {
      frame.log.info('waits');
      await once(frame.stopping, 'abort');
      throw new Error('the wait was ended');
    },
    people: () => Promise.reject(new Error('no place for files')),
  },
  process.env,
);
