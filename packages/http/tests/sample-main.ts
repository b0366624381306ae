import { runService } from '../src/index.ts';

await runService('messages', process.env, (frame) => {
  frame.log.info({ config: frame.config }, 'configured');
  return (_request, response) => response.end();
});
