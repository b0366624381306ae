import { text as textParameter } from '@parley/http';

import { buildChanged, pipelineChanged } from './gitlab-builds.ts';
import {
  commented,
  configured,
  issueChanged,
  mergeRequestChanged,
  wikiChanged,
} from './gitlab-discussions.ts';
import { pushed, tagged } from './gitlab-pushes.ts';
import { eventIntegration } from './integration.ts';

/** GitLab (reference facts, people 17.3). */
export const gitlab = eventIntegration({
  name: 'gitlab',
  label: 'Gitlab',
  about:
    'GitLab, as a webhook of a project. `branches` lets through only pushes to branches whose names occur in it.',
  example: {
    event: 'Push Hook',
    payload: {
      user_name: 'Rina',
      project: { name: 'keel' },
      repository: { homepage: 'https://lab.example/keel' },
      ref: 'refs/heads/main',
      before: 'aa11bb22',
      after: 'cc33dd44',
      commits: [
        {
          id: 'cc33dd44',
          url: 'https://lab.example/keel/commit/cc33dd44',
          message: 'Drill the holes',
          author: { name: 'Rina' },
        },
      ],
    },
  },
  eventHeader: 'X-Gitlab-Event',
  parameters: [
    textParameter('branches', { description: 'Branches whose pushes are sent; by default all' }),
  ],
  events: {
    'Push Hook': pushed,
    'Tag Push Hook': tagged,
    'Issue Hook': issueChanged('Issue Hook'),
    'Confidential Issue Hook': issueChanged('Confidential Issue Hook'),
    'Merge Request Hook': mergeRequestChanged,
    'Note Hook': commented,
    'Wiki Page Hook': wikiChanged,
    'Job Hook': buildChanged,
    'Build Hook': buildChanged,
    'Pipeline Hook': pipelineChanged,
    'Test Hook': configured,
  },
});
