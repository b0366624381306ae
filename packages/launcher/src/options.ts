import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { LaunchFault } from './launch-fault.ts';

const replicasMax = 16;
const portMax = 65_535;

/** The options of `npm start`. */
export type LaunchOptions = {
  /** The port of the gateway. */
  port: number;
  events: number;
  messages: number;
  /** Whether all services share one process. */
  together: boolean;
  /** Absolute path of the data folder. */
  dataDir: string;
  /** Whether the data folder is emptied first. */
  fresh: boolean;
  /** Whether standard output is one line of JSON. */
  json: boolean;
  /** Whether the address is opened in a browser when all is ready. */
  open: boolean;
  /** Whether the stores run alone, without an organization being made: for an import. */
  stores: boolean;
  /** The organization to create in place of the demo; undefined for the demo. */
  organization: OwnOrganization | undefined;
};

/** An organization and its first administrator, who are created in an empty data folder. */
export type OwnOrganization = { name: string; administrator: { name: string; email: string } };

/** The output of `npm start -- --help`. */
export const usage = `Usage: npm start -- [OPTIONS]

  --port N        port of the gateway (default 9991)
  --events N      how many event nodes run (default 2)
  --messages N    how many message services run (default 1)
  --together      run all services in one process, for a small machine
  --data FOLDER   where the data is kept (default .parley)
  --fresh         remove the data of earlier starts first
  --organization NAME --administrator 'NAME <EMAIL>'
                  create this organization in place of the demo
  --stores        run Postgres and Redis alone and make no organization, for an import
  --open          open the address in your browser when all is ready
  --json          print one line of JSON on standard output when all is ready
  --help          show this

DATABASE_URL and REDIS_URL name a Postgres 17 and a Redis to use in place of the local ones.`;

function readInteger(name: string, text: string, lowest: number, highest: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= lowest && value <= highest)) {
    throw new LaunchFault(
      `--${name} takes a number from ${lowest} to ${highest}, not "${text}".\n\n${usage}`,
    );
  }
  return value;
}

/**
 * Reads the arguments of `npm start`.
 *
 * @param args the arguments
 * @param workingDir the folder that a relative `--data` starts at
 * @returns the options; undefined if help was requested
 * @throws LaunchFault for an unknown argument
 */
export function parseOptions(
  args: readonly string[],
  workingDir: string,
): LaunchOptions | undefined {
  const values = readArguments(args);
  if (values.help) return undefined;
  if (values.together && (values.events !== undefined || values.messages !== undefined))
    throw new LaunchFault(
      `--together runs each service once, without --events and --messages.\n\n${usage}`,
    );
  if (values.stores && values.organization !== undefined)
    throw new LaunchFault(
      `--stores makes no organization: start again without it to have one made.\n\n${usage}`,
    );
  return {
    port: readInteger('port', values.port, 1, portMax),
    events: readInteger('events', values.events ?? '2', 1, replicasMax),
    messages: readInteger('messages', values.messages ?? '1', 1, replicasMax),
    together: values.together,
    dataDir: resolve(workingDir, values.data),
    fresh: values.fresh,
    json: values.json,
    open: values.open,
    stores: values.stores,
    organization: readOrganization(values.organization, values.administrator),
  };
}

function readOrganization(
  name: string | undefined,
  administrator: string | undefined,
): OwnOrganization | undefined {
  if (name === undefined && administrator === undefined) return undefined;
  const [, person, email] = /^([^<>]*[^<>\s])\s*<([^<>\s]+)>$/.exec(administrator ?? '') ?? [];
  if (name === undefined || person === undefined || email === undefined)
    throw new LaunchFault(
      `--organization NAME and --administrator 'NAME <EMAIL>' go together.\n\n${usage}`,
    );
  return { name, administrator: { name: person, email } };
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        port: { type: 'string', default: '9991' },
        events: { type: 'string' },
        messages: { type: 'string' },
        together: { type: 'boolean', default: false },
        data: { type: 'string', default: '.parley' },
        fresh: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        open: { type: 'boolean', default: false },
        stores: { type: 'boolean', default: false },
        organization: { type: 'string' },
        administrator: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new LaunchFault(`${words}\n\n${usage}`, { cause: error });
  }
}
