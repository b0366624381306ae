/** Events of a repository and its surroundings on GitHub (reference facts, people 17.2). */
import { writeLink } from '@parley/markdown';
import {
  pushText,
  quoteBlock,
  readRef,
  repositoryTopics,
  sentence,
  shortSha,
  tagText,
  wantsBranch,
} from './git-wording.ts';
import { inRepository } from './github-events.ts';
import type { GithubPayload, GithubReaders } from './github-events.ts';
import { ignored } from './integration.ts';
import type { WebhookOutcome } from './integration.ts';

function refText(
  action: 'created' | 'deleted',
  { sender, repository, ref, ref_type: type }: GithubPayload<'create' | 'delete'>,
): WebhookOutcome {
  return inRepository(repository, `${sender.login} ${action} ${type} ${ref}.`);
}

const pagesProgress = new Map([
  ['null', 'has yet to be built'],
  ['building', 'is being built'],
  ['errored', 'has failed'],
  ['built', 'has finished building'],
]);

export const repositoryEvents = {
  push: (payload, { parameters }) => {
    const { repository, compare: compareUrl, deleted, created } = payload;
    const user = payload.sender.login;
    const ref = readRef(payload.ref);
    if (ref === undefined) return ignored;
    if (ref.kind === 'tag')
      return inRepository(repository, tagText(user, ref.name, created === true));
    if (!wantsBranch(parameters.branches, ref.name)) return ignored;
    const commits = payload.commits.map(({ id, url, message, author }) => ({
      id,
      url,
      message,
      committer: author.username ?? author.name,
    }));
    return [
      {
        topic: repositoryTopics.branch(repository.name, ref.name),
        content:
          deleted === true
            ? `${user} ${writeLink('deleted', compareUrl)} the branch ${ref.name}.`
            : pushText({ user, compareUrl, branch: ref.name, commits }),
      },
    ];
  },

  commit_comment: ({ sender, repository, comment }) => {
    const [commitUrl = ''] = comment.html_url.split('#', 1);
    return inRepository(
      repository,
      `${sender.login} ${writeLink('commented', comment.html_url)} on ${writeLink(shortSha(comment.commit_id), commitUrl)}:\n${quoteBlock(comment.body)}`,
    );
  },

  create: (payload) => refText('created', payload),
  delete: (payload) => refText('deleted', payload),
  fork: ({ sender, repository, forkee }) =>
    inRepository(repository, `${sender.login} forked ${writeLink(forkee.name, forkee.html_url)}.`),

  watch: ({ sender, repository }) =>
    inRepository(
      repository,
      `${sender.login} starred ${writeLink('the repository', repository.html_url)}.`,
    ),

  star: ({ sender, repository, action }) =>
    inRepository(
      repository,
      `${sender.login} ${action === 'deleted' ? 'unstarred' : 'starred'} the repository.`,
    ),

  release: ({ sender, repository, action, release }) =>
    inRepository(
      repository,
      `${sender.login} ${action} ${writeLink(`release for tag ${release.tag_name}`, release.html_url)}.`,
    ),

  public: ({ sender, repository }) =>
    inRepository(
      repository,
      `${sender.login} made ${writeLink('the repository', repository.html_url)} public.`,
    ),

  repository: ({ sender, repository, action }) =>
    inRepository(
      repository,
      `${sender.login} ${action} ${writeLink('the repository', repository.html_url)}.`,
    ),

  status: ({ repository, state, commit: of, target_url: target }) => {
    const shown = target ? writeLink(state, target) : state;
    return inRepository(
      repository,
      `${writeLink(shortSha(of.sha), of.html_url)} changed its status to ${shown}.`,
    );
  },

  page_build: ({ repository, build: { status, pusher, error } }) => {
    const progress = pagesProgress.get(String(status)) ?? `is ${status}`;
    const said = `GitHub Pages build, triggered by ${pusher.login}, ${progress}`;
    return inRepository(
      repository,
      sentence(said, status === 'errored' ? error?.message : undefined),
    );
  },

  deployment: ({ sender, repository, deployment: { environment } }) =>
    inRepository(
      repository,
      `${sender.login} created new deployment.`,
      `Deployment on ${environment}`,
    ),

  deployment_status: ({ repository, deployment: { environment }, deployment_status: { state } }) =>
    inRepository(
      repository,
      `Deployment changed status to ${state}.`,
      `Deployment on ${environment}`,
    ),

  check_run: ({ repository, check_run: run }) => {
    if (run.status !== 'completed') return ignored;
    const commitUrl = `${repository.html_url}/commit/${run.head_sha}`;
    return inRepository(
      repository,
      `Check ${writeLink(run.name, run.html_url)} ${run.status} (${run.conclusion ?? 'unknown'}). (${writeLink(shortSha(run.head_sha), commitUrl)})`,
      'checks',
    );
  },

  gollum: ({ sender, repository, pages }) =>
    inRepository(
      repository,
      [
        `${sender.login}:`,
        ...pages.map(({ action, title, html_url: url }) => `* ${action} ${writeLink(title, url)}`),
      ].join('\n'),
      'Wiki Pages',
    ),

  member: ({ sender, repository, action, member }) =>
    inRepository(
      repository,
      `${sender.login} ${action} ${writeLink(member.login, member.html_url)} to ${writeLink(repository.name, repository.html_url)}.`,
    ),

  membership: ({ sender, action, member, team: { name }, organization }) => [
    {
      topic: `${organization.login} organization`,
      content: `${sender.login} ${action} ${writeLink(member.login, member.html_url)} ${action === 'removed' ? 'from' : 'to'} the ${name} team.`,
    },
  ],

  team_add: ({ repository, team: { name } }) =>
    inRepository(
      repository,
      `${writeLink('The repository', repository.html_url)} was added to team ${name}.`,
    ),

  ping: ({ sender, repository, organization }) => [
    {
      topic: repository?.name ?? organization?.login ?? 'GitHub',
      content: `GitHub webhook has been successfully configured by ${sender.login}.`,
    },
  ],
} satisfies Partial<GithubReaders>;
