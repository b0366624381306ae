import { expect, test } from 'vitest';

import { LaunchFault } from './launch-fault.ts';
import { parseOptions } from './options.ts';

test('without arguments there are two event nodes, one message service and port 9991', () => {
  expect(parseOptions([], '/repository')).toEqual({
    port: 9991,
    events: 2,
    messages: 1,
    together: false,
    dataDir: '/repository/.parley',
    fresh: false,
    json: false,
    open: false,
    stores: false,
    organization: undefined,
  });
});

test('all options are read, and a relative data folder is below the working folder', () => {
  const args = '--port 8080 --events 3 --messages 2 --data ../data --fresh --json'.split(' ');
  expect(parseOptions(args, '/a/b')).toEqual({
    port: 8080,
    events: 3,
    messages: 2,
    together: false,
    dataDir: '/a/data',
    fresh: true,
    json: true,
    open: false,
    stores: false,
    organization: undefined,
  });
});

test('together, each service runs once', () => {
  expect(parseOptions(['--together'], '/')).toMatchObject({ together: true });
  expect(() => parseOptions(['--together', '--messages', '1'], '/')).toThrow(
    '--together runs each service once',
  );
});

test('the stores alone run without an organization', () => {
  expect(parseOptions(['--stores'], '/')).toMatchObject({ stores: true, organization: undefined });
  const own = ['--organization', 'Reef', '--administrator', 'Ada Reef <ada@reef.example>'];
  expect(() => parseOptions(['--stores', ...own], '/')).toThrow('--stores makes no organization');
});

test('an organization has a name and an administrator', () => {
  const args = ['--organization', 'Reef', '--administrator', 'Ada Reef <ada@reef.example>'];
  expect(parseOptions(args, '/')).toMatchObject({
    organization: { name: 'Reef', administrator: { name: 'Ada Reef', email: 'ada@reef.example' } },
  });
});

test.each([
  [['--organization', 'Reef']],
  [['--administrator', 'Ada Reef <ada@reef.example>']],
  [['--organization', 'Reef', '--administrator', 'ada@reef.example']],
  [['--organization', 'Reef', '--administrator', ' <ada@reef.example>']],
])('%j is refused, because one of its parts is missing', (args) => {
  expect(() => parseOptions(args, '/')).toThrow(/go together/);
});

test.each([
  ['--port', '0'],
  ['--port', '65536'],
  ['--events', '1.5'],
  ['--messages', 'two'],
])('%s %s is refused with the usage text', (name, value) => {
  expect(() => parseOptions([name, value], '/')).toThrow(LaunchFault);
  expect(() => parseOptions([name, value], '/')).toThrow(/Usage: npm start/);
});

test('an unknown option and an extra word are refused', () => {
  expect(() => parseOptions(['--colour'], '/')).toThrow(LaunchFault);
  expect(() => parseOptions(['9991'], '/')).toThrow(LaunchFault);
});
