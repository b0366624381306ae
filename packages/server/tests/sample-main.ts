import { runService } from '../src/run-service.ts';

await runService('messages', process.env, (frame) => {
  frame.log.info({ config: frame.config }, 'configured');
  return (_request, response) => response.end();
});
