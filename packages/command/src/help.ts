/** Help texts, made from the declarations of the commands. */
import type { Command, Option } from './command.ts';

export const commonOptions: Readonly<Record<string, Option>> = {
  json: { help: 'print one JSON object on standard output' },
  help: { help: 'print this help' },
};

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function optionRow([name, option]: readonly [string, Option]): readonly [string, string] {
  const value = option.value === undefined ? '' : ` ${option.value}`;
  const notes = [
    ...(option.required === true ? ['required'] : []),
    ...(option.multiple === true ? ['may be repeated'] : []),
  ];
  return [`--${name}${value}`, option.help + (notes.length === 0 ? '' : ` (${notes.join(', ')})`)];
}

/** @returns one line with the arguments and options of a command */
function usageOf(command: Command): string {
  const options = Object.entries(command.options ?? {});
  const required = options
    .filter(([, option]) => option.required === true)
    .map(([name, { value }]) => `--${name}${value === undefined ? '' : ` ${value}`}`);
  return [
    'parley',
    command.name,
    ...(command.positionals ?? []),
    ...required,
    ...(required.length < options.length ? ['[OPTIONS]'] : []),
  ].join(' ');
}

export function helpOf(command: Command): string {
  const options = [...Object.entries(command.options ?? {}), ...Object.entries(commonOptions)];
  return [
    `${command.summary}.`,
    '',
    `Usage: ${usageOf(command)}`,
    ...(command.details === undefined ? [] : ['', command.details]),
    '',
    'Options:',
    ...table(options.map(optionRow)),
    '',
  ].join('\n');
}

export function helpOfAll(commands: readonly Command[]): string {
  return [
    'Runs a Parley installation: what it works on is told by the same environment that the services have.',
    '',
    'Usage: parley COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...table(
      commands.map((command) => [
        [command.name, ...(command.positionals ?? [])].join(' '),
        command.summary,
      ]),
    ),
    '',
    'parley COMMAND --help tells the options of a command; every command takes --json.',
    'Exit codes: 0 done, 1 it could not be done, 2 the command line is wrong.',
    '',
  ].join('\n');
}
