/** Pushes of GitLab (reference facts, people 17.3). */
import { pushText, readRef, repositoryTopics, tagText, wantsBranch } from './git-wording.ts';
import type { GitlabReaders } from './gitlab-events.ts';
import { ignored } from './integration.ts';

/** The id that means no commit. */
const noCommit = /^0+$/;

export const pushEvents = {
  'Push Hook': (payload, { parameters }) => {
    const { user_name: user, project: of, repository, before, after } = payload;
    const ref = readRef(payload.ref);
    if (ref?.kind !== 'branch' || !wantsBranch(parameters.branches, ref.name)) return ignored;
    const commits = payload.commits.map(({ id, url, message, author }) => ({
      id,
      url,
      message,
      committer: author.name,
    }));
    const compareUrl = `${repository.homepage}/compare/${before}...${after}`;
    return [
      {
        topic: repositoryTopics.branch(of.name, ref.name),
        content: noCommit.test(after)
          ? `${user} deleted branch ${ref.name}.`
          : pushText({ user, compareUrl, branch: ref.name, commits }),
      },
    ];
  },

  'Tag Push Hook': ({ user_name: user, project: of, ref, checkout_sha: sha }) => {
    const tag = readRef(ref)?.name ?? ref;
    return [{ topic: of.name, content: tagText(user, tag, typeof sha === 'string') }];
  },
} satisfies Partial<GitlabReaders>;
