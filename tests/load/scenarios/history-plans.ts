/** The cost of fetching messages in Postgres: the endpoint's statements, explained for each narrow, reader and anchor. */
import { parseNarrow } from '@parley/api/messages';
import type { Client, Queryable } from '@parley/database';
import { findFirstUnreadOf, listMessages, readShownMessages, unreadState } from '@parley/store';

import { compileNarrow } from '../../../services/messages/src/narrow/compile-narrow.ts';
import { guestStream, historyPeople } from './history-data.ts';

export type PlanCost = {
  /** Shared buffers, hit or read, of the more expensive plan: the one for these values or the one for any values. */
  readonly buffers: number;
  /** Of the plan for any values, which a prepared statement uses after a while. */
  readonly executionMs: number;
  readonly planningMs: number;
  /** The scans of the more expensive plan that use many buffers, in one line. */
  readonly plan: string;
};

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};

type Explained = {
  Plan: PlanNode;
  'Execution Time': number;
  'Planning Time': number;
};

function literalOf(value: unknown): string {
  if (Array.isArray(value)) {
    const elements = value.map((each: unknown) =>
      typeof each === 'number' || typeof each === 'string' ? each : 'NULL',
    );
    return `'{${elements.join(',')}}'`;
  }
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return 'NULL';
}

const buffersOf = (node: PlanNode): number =>
  node['Shared Hit Blocks'] + node['Shared Read Blocks'];

/** The scans with at least this part of a plan's buffers are described. */
const describedPart = 0.05;

function describePlan(root: PlanNode): string {
  const scans: string[] = [];
  const visit = (node: PlanNode): void => {
    const place = node['Index Name'] ?? node['Relation Name'];
    if (place !== undefined && buffersOf(node) >= describedPart * buffersOf(root))
      scans.push(`${node['Node Type']} ${place} ${buffersOf(node)}`);
    node.Plans?.forEach(visit);
  };
  visit(root);
  return scans.join(', ');
}

/** Explains each statement under both kinds of plans before it runs it. */
class ExplainingClient implements Queryable {
  readonly costs: PlanCost[] = [];
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  readonly query: Queryable['query'] = async (statement) => {
    const explain = async (mode: string): Promise<Explained> => {
      await this.#client.query(`SET plan_cache_mode = ${mode}`);
      await this.#client.query(`PREPARE explained AS ${statement.text}`);
      const values = (statement.values ?? []).map(literalOf).join(', ');
      const { rows } = await this.#client.query<{ 'QUERY PLAN': [Explained] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained${values === '' ? '' : `(${values})`}`,
      );
      await this.#client.query('DEALLOCATE explained');
      const [row] = rows;
      if (row === undefined) throw new Error('nothing was explained');
      return row['QUERY PLAN'][0];
    };
    const custom = await explain('force_custom_plan');
    const generic = await explain('force_generic_plan');
    const dearer = buffersOf(custom.Plan) > buffersOf(generic.Plan) ? custom.Plan : generic.Plan;
    this.costs.push({
      buffers: buffersOf(dearer),
      plan: describePlan(dearer),
      executionMs: generic['Execution Time'],
      planningMs: custom['Planning Time'],
    });
    return this.#client.query(statement);
  };
}

export type HistoryAnchor = 'newest' | 'middle' | 'oldest' | 'first_unread';
export const historyAnchors: readonly HistoryAnchor[] = [
  'newest',
  'middle',
  'oldest',
  'first_unread',
];

const newestAnchor = 10_000_000_000_000_000;
const pageSize = 100;

/** Explains the first page of a narrow as GET messages fetches it. */
export async function explainPage(
  client: Client,
  request: {
    readonly userId: number;
    readonly narrow: string;
    readonly anchor: HistoryAnchor;
    readonly messages: number;
  },
): Promise<PlanCost & { readonly found: number }> {
  const terms = parseNarrow(request.narrow, 'narrow');
  const { list, stream } = await compileNarrow(client, request.userId, terms);
  const explaining = new ExplainingClient(client);
  let anchor = Math.trunc(request.messages / 2);
  if (request.anchor === 'newest') anchor = newestAnchor;
  if (request.anchor === 'oldest') anchor = 0;
  if (request.anchor === 'first_unread') {
    anchor =
      (await findFirstUnreadOf(explaining, list, { stream, fromPointer: terms.length === 0 })) ??
      newestAnchor;
  }
  const half = pageSize / 2;
  const counts = { before: half, from: half };
  if (anchor === newestAnchor) Object.assign(counts, { before: pageSize, from: 0 });
  if (anchor === 0) Object.assign(counts, { before: 0, from: pageSize });
  const { messages } = await listMessages(explaining, list, {
    anchor,
    beforeMax: counts.before,
    fromAnchorMax: counts.from,
  });
  // Like a service without cached lists.
  await readShownMessages(
    explaining,
    messages.map(({ id, version }) => ({ id, version, isAbove: false, isNearAnchor: true })),
    'rendered',
  );
  const [dearest] = explaining.costs.toSorted((a, b) => b.buffers - a.buffers);
  if (dearest === undefined) throw new Error('nothing was explained');
  return {
    found: messages.length,
    buffers: dearest.buffers,
    plan: dearest.plan,
    executionMs: explaining.costs.reduce((sum, cost) => sum + cost.executionMs, 0),
    planningMs: explaining.costs.reduce((sum, cost) => sum + cost.planningMs, 0),
  };
}

/** Explains the unread messages of the register answer. */
export async function explainUnreadState(
  client: Client,
  userId: number,
): Promise<PlanCost & { readonly found: number }> {
  const explaining = new ExplainingClient(client);
  const { count } = await unreadState(explaining, userId);
  const [cost] = explaining.costs;
  if (cost === undefined) throw new Error('nothing was explained');
  return { ...cost, found: count };
}

export type HistoryCase = {
  readonly name: string;
  readonly narrow: readonly (readonly [string, string])[];
};

const emailOf = (id: number): string => `u${id}@example.com`;

const flags = ['private', 'starred', 'unread', 'mentioned', 'alerted'];
const streamNames = [`stream ${guestStream}`, 'stream 150', 'stream 20'];

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

/** Every operator, and the most common pairs of operators; their results are frequent, rare or empty. */
export function historyCases(readerId: number): HistoryCase[] {
  const {
    commonSender,
    someSender,
    rareSender,
    hardlySender,
    elsewhereSender,
    guestRead,
    guestUnread,
  } = historyPeople;
  // Guests know no other stream, and a narrow to one is refused.
  const known =
    readerId === guestRead || readerId === guestUnread ? streamNames.slice(0, 1) : streamNames;
  const senders: readonly (readonly [string, number])[] = [
    ['a twentieth of all', commonSender],
    ['a hundredth', someSender],
    ['one in 2000', rareSender],
    ['three', hardlySender],
    ['a twentieth, not in the stream', elsewhereSender],
  ];
  const partner = 20 + (readerId - 1) * 100 + 7;
  const one = (
    operator: string,
    operand: string,
    name = `${operator}:${operand}`,
  ): HistoryCase => ({
    name,
    narrow: [[operator, operand]],
  });
  return [
    { name: 'no narrow', narrow: [] },
    ...known.map((name) => one('stream', name)),
    one('streams', 'public'),
    one('topic', 'topic 3', 'topic: in all streams'),
    one('topic', `only ${guestStream}`, 'topic: in one stream'),
    one('topic', 'nowhere'),
    ...senders.map(([name, id]) => one('sender', emailOf(id), `sender: ${name}`)),
    one('pm-with', emailOf(partner), 'pm-with'),
    one('group-pm-with', emailOf(commonSender), 'group-pm-with'),
    ...flags.map((flag) => one('is', flag)),
    one('has', 'link', 'has:link, 30 %'),
    one('has', 'image', 'has:image, five'),
    one('has', 'attachment', 'has:attachment, none'),
    one('in', 'home'),
    one('in', 'all'),
    one('id', '12345'),
    one('near', '12345'),
    ...[1, 13, 340].flatMap((days) =>
      ['before', 'after'].map((operator) =>
        one(operator, daysAgo(days), `${operator}: ${days} days`),
      ),
    ),
    ...['topic 3', `only ${guestStream}`].map((topic) => ({
      name: `stream + topic:${topic}`,
      narrow: [['stream', streamNames[0] ?? ''] as const, ['topic', topic] as const],
    })),
    ...senders.map(([name, id]) => ({
      name: `stream + sender: ${name}`,
      narrow: [['stream', streamNames[0] ?? ''] as const, ['sender', emailOf(id)] as const],
    })),
    ...senders.map(([name, id]) => ({
      name: `topic + sender: ${name}`,
      narrow: [['topic', 'topic 3'] as const, ['sender', emailOf(id)] as const],
    })),
    ...flags.flatMap((flag) =>
      known.slice(0, 2).map((stream) => ({
        name: `is:${flag} + ${stream}`,
        narrow: [['is', flag] as const, ['stream', stream] as const],
      })),
    ),
  ];
}
