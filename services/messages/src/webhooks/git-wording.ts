/** The wording that integrations of version control share (reference facts, people 17.1). */
import { normalisedLines, writeLink } from '@parley/markdown';

const commitsListedMax = 20;
const committersNamedMax = 3;

export type PushedCommit = {
  readonly id: string;
  readonly url: string;
  readonly message: string;
  readonly committer: string;
};

/** The first characters of a commit's id. */
export function shortSha(id: string): string {
  return id.slice(0, 7);
}

/** Names with commas, and an "and" before the last. */
export function joinNames(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

function committersText(user: string, commits: readonly PushedCommit[]): string {
  const counts = new Map<string, number>();
  for (const { committer } of commits) counts.set(committer, (counts.get(committer) ?? 0) + 1);
  if (counts.size === 1 && counts.has(user)) return '';
  const sorted = [...counts].toSorted(
    ([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : Number(nameA > nameB)),
  );
  const others = sorted.slice(committersNamedMax).reduce((sum, [, count]) => sum + count, 0);
  const named = sorted.slice(0, committersNamedMax).map(([name, count]) => `${name} (${count})`);
  return ` Commits by ${joinNames(others === 0 ? named : [...named, `others (${others})`])}.`;
}

/** A push to a branch. */
export function pushText(push: {
  readonly user: string;
  readonly compareUrl: string;
  readonly branch: string;
  readonly commits: readonly PushedCommit[];
}): string {
  const { user, compareUrl, branch, commits } = push;
  if (commits.length === 0)
    return `${user} ${writeLink('pushed', compareUrl)} the branch ${branch}.`;
  const count = `${commits.length} ${commits.length === 1 ? 'commit' : 'commits'}`;
  const more = commits.length - commitsListedMax;
  return [
    `${user} ${writeLink('pushed', compareUrl)} ${count} to branch ${branch}.${committersText(user, commits)}`,
    '',
    ...commits.slice(0, commitsListedMax).map(({ id, url, message }) => {
      const [firstLine = ''] = message.split(/[\r\n]/, 1);
      return `* ${firstLine} (${writeLink(shortSha(id), url)})`;
    }),
    ...(more > 0 ? [`[and ${more} more commit(s)]`] : []),
  ].join('\n');
}

/** A tag that was pushed or removed. */
export function tagText(user: string, tag: string, isPushed: boolean): string {
  return `${user} ${isPushed ? 'pushed' : 'removed'} tag ${tag}.`;
}

/** Whether the `branches` parameter includes a push. */
export function wantsBranch(branches: string | undefined, branch: string): boolean {
  return branches === undefined || branches.includes(branch);
}

/** A block quote. Its fence is longer than usual if the text contains a usual one as a line, which would end the quote. */
export function quoteBlock(text: string, mark: '~' | '`' = '~'): string {
  const longestRun = normalisedLines(text).reduce((longest, line) => {
    const trimmed = line.trimStart();
    let run = 0;
    while (trimmed[run] === mark) run += 1;
    return Math.max(longest, run);
  }, 2);
  const fence = mark.repeat(longestRun + 1);
  return `${fence} quote\n${text}\n${fence}`;
}

export type NumberedItem = {
  readonly kind: 'PR' | 'MR' | 'Issue' | 'Snippet';
  readonly number: number;
  readonly title: string;
  readonly url: string;
};

/** The link to a pull request and similar; with its title if the topic does not contain it. */
export function linkTo(
  { kind, number, title, url }: NumberedItem,
  topic: string | undefined,
): string {
  return writeLink(`${kind} #${number}${topic === undefined ? '' : ` ${title}`}`, url);
}

/** A sentence that ends with one of these needs no full stop. */
const punctuationAtEnd = /[\p{P}$+<=>^`|~]\s*$/u;

/**
 * A message about a text, with the text as a quote.
 *
 * @param title the end of the sentence, if it is a title
 */
export function sentence(said: string, quoted: string | null | undefined, title = ''): string {
  if (quoted !== undefined && quoted !== null && quoted.trim() !== '')
    return `${said}:\n\n${quoteBlock(quoted)}`;
  return punctuationAtEnd.test(title) ? said : `${said}.`;
}

/** An action on a pull request, merge request, issue or snippet. */
export function itemChangeText(done: {
  readonly user: string;
  /** With the words up to the link. */
  readonly action: string;
  readonly item: NumberedItem;
  readonly assignee?: string | undefined;
  readonly branches?: { readonly head: string; readonly base: string };
  readonly quoted?: string | null | undefined;
  /** The topic in the request. */
  readonly topic: string | undefined;
}): string {
  const { user, action, item, assignee, branches, quoted, topic } = done;
  const assigned = assignee === undefined ? '' : ` (assigned to ${assignee})`;
  const between =
    branches === undefined ? '' : ` from \`${branches.head}\` to \`${branches.base}\``;
  const said = `${user} ${action} ${linkTo(item, topic)}${assigned}${between}`;
  const endsWithTitle = topic !== undefined && assigned === '' && between === '';
  return sentence(said, quoted, endsWithTitle ? item.title : undefined);
}

/** Topics of repositories; white space at the end is stripped. */
export const repositoryTopics = {
  branch: (repository: string, branch: string): string => `${repository} / ${branch}`.trimEnd(),
  item: (repository: string, { kind, number, title }: Omit<NumberedItem, 'url'>): string =>
    `${repository} / ${kind} #${number} ${title}`.trimEnd(),
} as const;

const branchPrefix = 'refs/heads/';
const tagPrefix = 'refs/tags/';

/** The kind of a ref; refs other than branches and tags are ignored. */
export function readRef(
  ref: string,
): { readonly kind: 'branch' | 'tag'; readonly name: string } | undefined {
  if (ref.startsWith(branchPrefix)) return { kind: 'branch', name: ref.slice(branchPrefix.length) };
  if (ref.startsWith(tagPrefix)) return { kind: 'tag', name: ref.slice(tagPrefix.length) };
  return undefined;
}
