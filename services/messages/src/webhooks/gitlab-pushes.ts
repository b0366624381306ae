/** Pushes of GitLab (reference facts, people 17.3). */
import { pushText, readRef, repositoryTopics, tagText, wantsBranch } from './git-wording.ts';
import { event, ignored } from './integration.ts';
import type { EventReader } from './integration.ts';
import { listOf, record, text, textOrNull } from './payload-schema.ts';

export type GitlabValues = { readonly branches: string | undefined };

const project = record({ name: text });

/** The id of no commit. */
const noCommit = /^0+$/;

export const pushed: EventReader<GitlabValues> = event(
  record({
    user_name: text,
    project,
    repository: record({ homepage: text }),
    ref: text,
    before: text,
    after: text,
    commits: listOf(record({ id: text, url: text, message: text, author: record({ name: text }) })),
  }),
  (payload, { parameters }: { readonly parameters: GitlabValues }) => {
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
);

export const tagged = event(
  record({ user_name: text, project, ref: text }, { checkout_sha: textOrNull }),
  ({ user_name: user, project: of, ref, checkout_sha: sha }) => {
    const tag = readRef(ref)?.name ?? ref;
    return [{ topic: of.name, content: tagText(user, tag, typeof sha === 'string') }];
  },
);
