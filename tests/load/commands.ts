/** What is run once and prints its results as it goes, one JSON object after the other. */
import { cpus } from 'node:os';

import { readExportSize, readExportSource, writeExport } from './exports/write-export.ts';
import { untilInterrupted } from './interruption.ts';
import { readAmount, readAmounts, readCount } from './load-options.ts';
import type { LoadOptions } from './load-options.ts';
import { startOwnSystem } from './load-system.ts';
import type { LoadSystem, OwnSystemOptions } from './load-system.ts';
import { inspectable } from './process-gauge.ts';
import { measureAttacks } from './scenarios/attacks.ts';
import { findCapacity } from './scenarios/capacity.ts';
import { readHistoryLength } from './scenarios/history.ts';
import { measureImport } from './scenarios/import.ts';
import { explainPages, planLine } from './scenarios/page-plans.ts';
import { soak } from './scenarios/soak.ts';
import { describeStatements, measureStatements } from './scenarios/statements.ts';
import type { StatementsResult } from './scenarios/statements.ts';

export type LoadCommand = {
  readonly summary: string;
  readonly run: (options: LoadOptions, output: Output) => Promise<void>;
};

/** Where a command says what it does, and leaves its results. */
type Output = {
  readonly say: (text: string) => void;
  readonly report: (result: object) => void;
};

const secsBound = 600;
const peopleBound = 40_000;
const sendsBound = 1_000_000;
const minutesBound = 120;
const clientsBound = 2_000;

async function onOwnSystem(
  options: OwnSystemOptions,
  run: (system: LoadSystem) => Promise<void>,
): Promise<void> {
  const system = await startOwnSystem(1, options);
  try {
    await untilInterrupted(run(system));
  } finally {
    await system.stop();
  }
}

export const commands: Readonly<Record<string, LoadCommand>> = {
  plans: {
    summary: 'what Postgres reads for the first page of each narrow of a long history (--messages)',
    run: async (options, { say, report }) => {
      const messages = readHistoryLength(options);
      say(`Making ${messages} messages ...`);
      await explainPages(messages, (row) =>
        options.json ? report(row) : process.stdout.write(`${planLine(row)}\n`),
      );
    },
  },
  capacity: {
    summary:
      'the largest organization at work that gets its messages in time (--people, --seconds)',
    run: (options, { say, report }) =>
      onOwnSystem({}, async (system) => {
        const search = {
          from: readCount(options.people ?? '1000', 'people', peopleBound),
          most: peopleBound,
          secs: readAmount(options.seconds ?? '20', 'seconds', secsBound),
          warmUpSecs: readAmount(options['warm-up'], 'warm-up', secsBound),
          cores: cpus().length,
        };
        const { people, perCore } = await findCapacity(system, search, report, say);
        report({ people, perCore });
      }),
  },
  statements: {
    summary:
      'what each statement costs in organizations of several sizes, with and without statistics (--people, --seconds)',
    run: async (options, { say, report }) => {
      const results: StatementsResult[] = [];
      const sizes = readAmounts(options.people ?? '70,2000,20000', 'people', peopleBound);
      const secs = readAmount(options.seconds ?? '20', 'seconds', secsBound);
      const note = (result: StatementsResult): void => {
        results.push(result);
        report(result);
      };
      await untilInterrupted(measureStatements({ sizes, secs }, note, say));
      if (!options.json) process.stdout.write(`${describeStatements(results)}\n`);
    },
  },
  attacks: {
    summary: 'requests that are made to cost much, and what others wait meanwhile (--only)',
    // Mails are written, and none leaves.
    run: (options, { report }) =>
      onOwnSystem(
        {
          events: 1,
          environment: {
            PARLEY_SMTP_URL: 'smtp+plain://127.0.0.1:9',
            PARLEY_MAIL_FROM: 'parley@load.example',
          },
        },
        (system) => measureAttacks(system, options.only, report),
      ),
  },
  soak: {
    summary:
      'clients that abandon polls for a long time: nothing may grow (--minutes, --clients, --messages, --sample-seconds)',
    run: (options, { report }) =>
      onOwnSystem({ environment: inspectable }, async (system) => {
        const soaking = {
          minutes: readAmount(options.minutes, 'minutes', minutesBound),
          clients: readCount(options.clients, 'clients', clientsBound),
          fill: readCount(options.messages ?? '50000', 'messages', sendsBound),
          sampleSecs: readCount(options['sample-seconds'], 'sample-seconds', secsBound),
        };
        report(await soak(system, soaking, report));
      }),
  },
  export: {
    summary: 'writes an archive of another system (--source, --file, --people, --messages, --seed)',
    run: async (options) => {
      if (options.file === undefined) throw new Error('--file FILE is missing: where to write');
      const [source, size] = [readExportSource(options), readExportSize(options)];
      await untilInterrupted(writeExport(source, options.file, size));
    },
  },
  import: {
    summary: 'imports such an archive, or one that it writes before: processor time and memory',
    run: async (options, { say, report }) => {
      const { file, profile: profileFolder } = options;
      const [source, size] = [readExportSource(options), readExportSize(options)];
      const importing = measureImport(source, size, { file, profileFolder, say });
      report({ source, ...(await untilInterrupted(importing)) });
    },
  },
};
