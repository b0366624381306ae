import { ParleyClient } from '@parley/client';

/** A client whose requests are written down, as method, path and parameters, and answered by the test. */
export class RecordedRequests {
  readonly seen: string[] = [];
  answer: () => Response = () => Response.json({ result: 'success', msg: '' });

  readonly client = new ParleyClient({
    site: 'http://parley.test',
    repeatsMax: 0,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      const parameters = search === '' ? await request.text() : search.slice(1);
      const path = pathname.replace('/api/v1/', '');
      this.seen.push(`${request.method} ${path} ${decodeURIComponent(parameters)}`.trim());
      return this.answer();
    },
  });
}
