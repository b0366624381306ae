import { serviceNames } from '@parley/config';

import { checkChoice } from '../command.ts';
import type { Command } from '../command.ts';
import { UsageFault } from '../faults.ts';

export const serveCommand: Command = {
  name: 'serve',
  positionals: ['SERVICE...'],
  summary: `Run services in this process until it is stopped: ${serviceNames.join(', ')}`,
  details: [
    'Services of one process reach one another by calls, and those of other processes as always, so an installation may consist of any such',
    'processes. The gateway listens on PARLEY_PORT, the others on free ports; PARLEY_INTERNAL_PORT shows the health and metrics of all.',
  ].join('\n'),
  run: async (call, { env }) => {
    const services = call.wordsFrom(0).map((word) => checkChoice('SERVICE', word, serviceNames));
    if (new Set(services).size < services.length)
      throw new UsageFault('Each service is named once');
    // No other command needs the code of the services.
    const { serveServices } = await import('../serve-services.ts');
    const exitCode = await serveServices(services, env);
    return { text: '', json: {}, exitCode: exitCode === 0 ? 0 : 1 };
  },
};
