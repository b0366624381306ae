import { parseArgs } from 'node:util';

import { ConfigError } from '@parley/config';
import type { Environment } from '@parley/config';
import { ApiError } from '@parley/api';
import { UnusableSchema } from '@parley/database';
import { FileStoreFault } from '@parley/files';
import { isStoreFailure, parleyVersion } from '@parley/server';

import { Call } from './command.ts';
import type { Command, Report } from './command.ts';
import { listCommands, listCommandsOf } from './commands/index.ts';
import { CommandFault, UsageFault, describeCause } from './faults.ts';
import { commonOptions, helpOf, helpOfAll } from './help.ts';
import { Progress } from './progress.ts';

/** The environment of a command line. */
export type CommandEnvironment = {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
};

const exitCodes = { done: 0, failed: 1, misused: 2 } as const;

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The longest name that the words begin with. */
function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  return commands
    .filter(({ name }) => name.split(' ').every((part, index) => words[index] === part))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}

function unknownCommand(commands: readonly Command[], first: string): UsageFault {
  if (commands.length > 0)
    return new UsageFault(
      `parley ${first} is followed by ${commands.map(({ name }) => name.slice(first.length + 1)).join(', ')}`,
    );
  return new UsageFault(`There is no command ${first}; parley --help lists them`);
}

/** @throws UsageFault if the words do not fit the command */
function readCall(command: Command, words: readonly string[]): Call {
  const options = Object.entries({ ...command.options, ...commonOptions });
  let parsed;
  try {
    parsed = parseArgs({
      args: words.slice(command.name.split(' ').length),
      allowPositionals: true,
      options: Object.fromEntries(
        options.map(([name, { value, multiple = false }]) => [
          name,
          { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple },
        ]),
      ),
    });
  } catch (error) {
    // The parser's own text names the option; the text after its first sentence is about quoting.
    throw new UsageFault(error instanceof Error ? error.message.split('. ')[0] : String(error));
  }
  const { positionals = [] } = command;
  const [missing] = positionals.slice(parsed.positionals.length);
  if (missing !== undefined) throw new UsageFault(`${missing} is missing`);
  const [extra] = parsed.positionals.slice(positionals.length);
  if (extra !== undefined && positionals.at(-1)?.endsWith('...') !== true)
    throw new UsageFault(`"${extra}" is one word too many`);
  for (const [name, { required, value }] of options) {
    if (required === true && parsed.values[name] === undefined)
      throw new UsageFault(`--${name} ${value ?? ''} is missing`);
  }
  return new Call(parsed.positionals, parsed.values);
}

/** Faults that people can fix; all others are shown with their stack. */
function describeFault(error: unknown): string | undefined {
  if (error instanceof CommandFault || error instanceof ConfigError) return error.message;
  if (error instanceof UnusableSchema) return `${capitalize(error.message)}.`;
  if (error instanceof ApiError) return error.message;
  if (error instanceof FileStoreFault)
    return `${capitalize(error.message)}: ${describeCause(error.cause)}`;
  if (error instanceof Error && isStoreFailure(error))
    return `Postgres or Redis did not answer (parley check tells more): ${describeCause(error)}`;
  return undefined;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Characters that a terminal acts on instead of showing them; a shown name may contain them on purpose. */
const unshown = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function shown(text: string): string {
  return text.replaceAll(
    unshown,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/**
 * Runs one command line.
 *
 * @param words without the program's own name
 * @returns the exit code: 0 done, 1 could not be done, 2 the words are wrong
 */
export async function runCommandLine(
  words: readonly string[],
  surroundings: CommandEnvironment,
): Promise<ExitCode> {
  const { env, signal, readInput, writeOut, writeError, isTerminal } = surroundings;
  const wantsJson = words.includes('--json');
  const fail = (message: string, code: ExitCode): ExitCode => {
    writeError(`parley: ${shown(message)}\n`);
    if (wantsJson) writeOut(`${JSON.stringify({ error: message })}\n`);
    return code;
  };
  const first = words[0];
  if (first === '--version') {
    writeOut(wantsJson ? `${JSON.stringify({ version: parleyVersion })}\n` : `${parleyVersion}\n`);
    return exitCodes.done;
  }
  if (first === undefined || first === '--help' || first === 'help') {
    (first === undefined ? writeError : writeOut)(helpOfAll(await listCommands()));
    return first === undefined ? exitCodes.misused : exitCodes.done;
  }
  const commands = await listCommandsOf(first);
  const command = findCommand(commands, words);
  try {
    if (command === undefined) throw unknownCommand(commands, first);
    if (words.includes('--help')) {
      writeOut(helpOf(command));
      return exitCodes.done;
    }
    const call = readCall(command, words);
    const progress = new Progress(isTerminal ? writeError : undefined);
    const report: Report = await command.run(call, { env, signal, readInput, progress });
    writeOut(wantsJson ? `${JSON.stringify(report.json)}\n` : shown(report.text));
    return report.exitCode ?? exitCodes.done;
  } catch (error) {
    if (error instanceof UsageFault) {
      const more = command === undefined ? '' : `\nparley ${command.name} --help tells more.`;
      return fail(`${error.message}.${more}`, exitCodes.misused);
    }
    if (isAborted(signal)) return fail('It was stopped before it was done.', exitCodes.failed);
    const description = describeFault(error);
    if (description !== undefined) return fail(description, exitCodes.failed);
    return fail(
      error instanceof Error ? (error.stack ?? error.message) : String(error),
      exitCodes.failed,
    );
  }
}
