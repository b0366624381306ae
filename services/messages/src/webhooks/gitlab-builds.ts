/** Jobs and pipelines of GitLab (reference facts, people 17.3). */
import { repositoryTopics } from './git-wording.ts';
import type { GitlabPayload, GitlabReaders } from './gitlab-events.ts';
import type { WebhookOutcome } from './integration.ts';

function progressText(status: string, created: string): string {
  if (status === created) return 'was created';
  return status === 'running' ? 'started' : `changed status to ${status}`;
}

function buildText({
  repository,
  ref,
  build_name: name,
  build_stage: stage,
  build_status: status,
}: GitlabPayload<'Job Hook'>): WebhookOutcome {
  return [
    {
      topic: repositoryTopics.branch(repository.name, ref),
      content: `Build ${name} from ${stage} stage ${progressText(status, 'created')}.`,
    },
  ];
}

export const buildEvents = {
  'Job Hook': buildText,
  'Build Hook': buildText,

  'Pipeline Hook': ({ project, object_attributes: pipeline, builds }) => {
    const lines = builds.map(({ name, status }) => `* ${name} - ${status}`);
    return [
      {
        topic: repositoryTopics.branch(project.name, pipeline.ref),
        content: `${[`Pipeline ${progressText(pipeline.status, 'pending')} with build(s):`, ...lines].join('\n')}.`,
      },
    ];
  },
} satisfies Partial<GitlabReaders>;
