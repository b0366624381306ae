/** What happens to a repository and around it on GitHub (reference facts, people 17.2). */
import {
  pushText,
  quoteBlock,
  readRef,
  repositoryTopics,
  shortSha,
  tagText,
  wantsBranch,
} from './git-wording.ts';
import { common, inRepository, login, person } from './github-events.ts';
import type { GithubValues } from './github-events.ts';
import { event, ignored } from './integration.ts';
import type { EventReader } from './integration.ts';
import { flag, listOf, orNull, record, text, textOrNull } from './payload-schema.ts';

const commit = record({
  id: text,
  url: text,
  message: text,
  author: record({ name: text }, { username: textOrNull }),
});

export const pushed: EventReader<GithubValues> = event(
  record(
    { ...common, ref: text, compare: text, commits: listOf(commit) },
    { deleted: flag, created: flag },
  ),
  (payload, { parameters }: { readonly parameters: GithubValues }) => {
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
            ? `${user} [deleted](${compareUrl}) the branch ${ref.name}.`
            : pushText({ user, compareUrl, branch: ref.name, commits }),
      },
    ];
  },
);

export const commitCommented = event(
  record({ ...common, comment: record({ html_url: text, commit_id: text, body: text }) }),
  ({ sender, repository, comment }) => {
    const [commitUrl = ''] = comment.html_url.split('#', 1);
    return inRepository(
      repository,
      `${sender.login} [commented](${comment.html_url}) on [${shortSha(comment.commit_id)}](${commitUrl}):\n${quoteBlock(comment.body)}`,
    );
  },
);

function refEvent(action: 'created' | 'deleted'): EventReader {
  return event(
    record({ ...common, ref: text, ref_type: text }),
    ({ sender, repository, ref, ref_type: type }) =>
      inRepository(repository, `${sender.login} ${action} ${type} ${ref}.`),
  );
}

export const refCreated = refEvent('created');
export const refDeleted = refEvent('deleted');

export const forked = event(
  record({ ...common, forkee: record({ name: text, html_url: text }) }),
  ({ sender, repository, forkee }) =>
    inRepository(repository, `${sender.login} forked [${forkee.name}](${forkee.html_url}).`),
);

export const watched = event(record(common), ({ sender, repository }) =>
  inRepository(repository, `${sender.login} starred [the repository](${repository.html_url}).`),
);

export const starred = event(
  record({ ...common, action: text }),
  ({ sender, repository, action }) =>
    inRepository(
      repository,
      `${sender.login} ${action === 'deleted' ? 'unstarred' : 'starred'} the repository.`,
    ),
);

export const released = event(
  record({ ...common, action: text, release: record({ tag_name: text, html_url: text }) }),
  ({ sender, repository, action, release }) =>
    inRepository(
      repository,
      `${sender.login} ${action} [release for tag ${release.tag_name}](${release.html_url}).`,
    ),
);

export const madePublic = event(record(common), ({ sender, repository }) =>
  inRepository(repository, `${sender.login} made [the repository](${repository.html_url}) public.`),
);

export const repositoryChanged = event(
  record({ ...common, action: text }),
  ({ sender, repository, action }) =>
    inRepository(repository, `${sender.login} ${action} [the repository](${repository.html_url}).`),
);

export const statusChanged = event(
  record(
    { ...common, state: text, commit: record({ sha: text, html_url: text }) },
    { target_url: textOrNull },
  ),
  ({ repository, state, commit: of, target_url: target }) => {
    const shown = target ? `[${state}](${target})` : state;
    return inRepository(
      repository,
      `[${shortSha(of.sha)}](${of.html_url}) changed its status to ${shown}.`,
    );
  },
);

const deployment = record({ environment: text });

export const deployed = event(
  record({ ...common, deployment }),
  ({ sender, repository, deployment: { environment } }) =>
    inRepository(
      repository,
      `${sender.login} created new deployment.`,
      `Deployment on ${environment}`,
    ),
);

export const deploymentStatusChanged = event(
  record({ ...common, deployment, deployment_status: record({ state: text }) }),
  ({ repository, deployment: { environment }, deployment_status: { state } }) =>
    inRepository(
      repository,
      `Deployment changed status to ${state}.`,
      `Deployment on ${environment}`,
    ),
);

export const checkRun = event(
  record({
    ...common,
    check_run: record(
      { name: text, html_url: text, status: text, head_sha: text },
      { conclusion: textOrNull },
    ),
  }),
  ({ repository, check_run: run }) => {
    if (run.status !== 'completed') return ignored;
    const commitUrl = `${repository.html_url}/commit/${run.head_sha}`;
    return inRepository(
      repository,
      `Check [${run.name}](${run.html_url}) ${run.status} (${run.conclusion ?? 'unknown'}). ([${shortSha(run.head_sha)}](${commitUrl}))`,
      'checks',
    );
  },
);

export const wikiChanged = event(
  record({ ...common, pages: listOf(record({ action: text, title: text, html_url: text })) }),
  ({ sender, repository, pages }) =>
    inRepository(
      repository,
      [
        `${sender.login}:`,
        ...pages.map(({ action, title, html_url: url }) => `* ${action} [${title}](${url})`),
      ].join('\n'),
      'Wiki Pages',
    ),
);

export const memberChanged = event(
  record({ ...common, action: text, member: person }),
  ({ sender, repository, action, member }) =>
    inRepository(
      repository,
      `${sender.login} ${action} [${member.login}](${member.html_url}) to [${repository.name}](${repository.html_url}).`,
    ),
);

const team = record({ name: text });

export const membershipChanged = event(
  record({ sender: login, action: text, member: person, team, organization: login }),
  ({ sender, action, member, team: { name }, organization }) => [
    {
      topic: `${organization.login} organization`,
      content: `${sender.login} ${action} [${member.login}](${member.html_url}) ${action === 'removed' ? 'from' : 'to'} the ${name} team.`,
    },
  ],
);

export const addedToTeam = event(record({ ...common, team }), ({ repository, team: { name } }) =>
  inRepository(repository, `[The repository](${repository.html_url}) was added to team ${name}.`),
);

/** Webhooks of an organization have no repository. */
export const pinged = event(
  record(
    { sender: login },
    { repository: orNull(record({ name: text })), organization: orNull(login) },
  ),
  ({ sender, repository, organization }) => [
    {
      topic: repository?.name ?? (organization ? `${organization.login} organization` : 'GitHub'),
      content: `GitHub webhook has been successfully configured by ${sender.login}.`,
    },
  ],
);
