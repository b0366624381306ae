/** The parts of GitHub's payloads that its events share (reference facts, people 17.2). */
import { repositoryTopics } from './git-wording.ts';
import type { WebhookMessage } from './integration.ts';
import { integer, record, text } from './payload-schema.ts';

/** The parameters that the integration adds. */
export type GithubValues = { readonly branches: string | undefined };

export const login = record({ login: text });
export const person = record({ login: text, html_url: text });
export const repository = record({ name: text, html_url: text });

/** What almost every payload has: who did it, and where. */
export const common = { sender: login, repository } as const;

export const pullRequest = record({ number: integer, title: text, html_url: text });

export type PullRequest = {
  readonly number: number;
  readonly title: string;
  readonly html_url: string;
};

export function asThing(
  kind: 'PR' | 'Issue',
  { number, title, html_url: url }: PullRequest,
): { readonly kind: 'PR' | 'Issue'; number: number; title: string; url: string } {
  return { kind, number, title, url };
}

/** A message in the topic of a pull request or issue. */
export function inTopicOf(
  { name }: { readonly name: string },
  thing: { readonly kind: 'PR' | 'Issue'; readonly number: number; readonly title: string },
  content: string,
): readonly WebhookMessage[] {
  return [{ topic: repositoryTopics.thing(name, thing), content }];
}

/** A message in the topic of a repository. */
export function inRepository(
  { name }: { readonly name: string },
  content: string,
  about?: string,
): readonly WebhookMessage[] {
  return [{ topic: about === undefined ? name : `${name} / ${about}`, content }];
}
