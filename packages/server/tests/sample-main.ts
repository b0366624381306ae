import { runServices } from '../src/run-services.ts';

process.exitCode = await runServices(
  {
    messages: (frame) => {
      frame.log.info({ config: frame.config }, 'configured');
      return (_request, response) => response.end();
    },
  },
  process.env,
);
