/** Jobs and pipelines of GitLab (reference facts, people 17.3). */
import { repositoryTopics } from './git-wording.ts';
import { event } from './integration.ts';
import { listOf, record, text } from './payload-schema.ts';

function progressText(status: string, created: string): string {
  if (status === created) return 'was created';
  return status === 'running' ? 'started' : `changed status to ${status}`;
}

export const buildChanged = event(
  record({
    repository: record({ name: text }),
    ref: text,
    build_name: text,
    build_stage: text,
    build_status: text,
  }),
  ({ repository, ref, build_name: name, build_stage: stage, build_status: status }) => [
    {
      topic: repositoryTopics.branch(repository.name, ref),
      content: `Build ${name} from ${stage} stage ${progressText(status, 'created')}.`,
    },
  ],
);

export const pipelineChanged = event(
  record({
    project: record({ name: text }),
    object_attributes: record({ ref: text, status: text }),
    builds: listOf(record({ name: text, status: text })),
  }),
  ({ project, object_attributes: pipeline, builds }) => {
    const lines = builds.map(({ name, status }) => `* ${name} - ${status}`);
    return [
      {
        topic: repositoryTopics.branch(project.name, pipeline.ref),
        content: `${[`Pipeline ${progressText(pipeline.status, 'pending')} with build(s):`, ...lines].join('\n')}.`,
      },
    ];
  },
);
