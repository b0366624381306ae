import type { PersonName } from './demo-data.ts';

/** One message of the demo's day: minutes before now, sender, place, text. */
export type DemoMessage = {
  readonly minutesAgo: number;
  readonly from: PersonName;
  readonly content: string;
} & ({ readonly stream: string; readonly topic: string } | { readonly to: readonly PersonName[] });

const inTopic =
  (stream: string, topic: string) =>
  (minutesAgo: number, from: PersonName, content: string): DemoMessage => ({
    minutesAgo,
    from,
    content,
    stream,
    topic,
  });

const between =
  (...everyone: readonly PersonName[]) =>
  (minutesAgo: number, from: PersonName, content: string): DemoMessage => ({
    minutesAgo,
    from,
    content,
    to: everyone.filter((name) => name !== from),
  });

const hello = inTopic('general', 'hello');
const openDay = inTopic('general', 'open day');
const week = inTopic('announcements', 'this week');
const heron = inTopic('boatyard', 'Heron: new keel');
const varnish = inTopic('boatyard', 'varnish');
const tides = inTopic('boatyard', 'tides');
const saturday = inTopic('rentals', 'Saturday');
const lifejackets = inTopic('rentals', 'life jackets');
const lunch = inTopic('kitchen', 'lunch');
const invoices = inTopic('bookkeeping', 'invoices');
const marenAndTobias = between('maren', 'tobias');
const inesAndRahul = between('ines', 'rahul');
const planners = between('maren', 'ines', 'yuki');

const unordered: readonly DemoMessage[] = [
  week(
    1410,
    'maren',
    '**This week** in short:\n\n* the *Heron* gets her new keel\n* the open day is on Saturday\n* the office is closed on Friday afternoon',
  ),
  hello(
    1395,
    'maren',
    'Welcome, @**Yuki Sato**! Yuki helps us with the rentals until the end of the season.',
  ),
  hello(1391, 'yuki', 'Thank you! Glad to be here :wave:'),
  hello(1388, 'tobias', 'Welcome! The coffee machine is the one thing here that never leaks.'),
  tides(1380, 'tide', 'High water **06:42** and **19:05**, low water **12:51**.'),
  heron(1372, 'tobias', 'The keel bolts are out. Two of five are corroded, photos tonight.'),
  heron(1369, 'rahul', 'Bronze or stainless for the new ones?'),
  heron(
    1365,
    'tobias',
    'Bronze. Order:\n\n| part | size | pieces |\n|---|---|---|\n| keel bolt | M20 × 320 | 5 |\n| washer | M20 | 10 |',
  ),
  heron(1341, 'rahul', '@**Maren Holt** may I order these today? About 380 with shipping.'),
  heron(1322, 'maren', 'Yes, please do.'),
  marenAndTobias(1316, 'maren', 'How bad is the *Heron* really?'),
  marenAndTobias(
    1311,
    'tobias',
    'Not bad. The wood around the bolts is sound. A week, not a month.',
  ),
  marenAndTobias(1309, 'maren', 'That is a relief.'),
  saturday(
    1290,
    'ines',
    'Five bookings for Saturday so far:\n\n1. *Puffin*, 9 to 12\n2. *Puffin*, 13 to 17\n3. *Tern*, all day\n4. *Plover*, 10 to 12\n5. *Plover*, 14 to 18',
  ),
  saturday(1281, 'yuki', 'The family on the *Tern* asked whether their dog may come along.'),
  saturday(1279, 'ines', 'It may, if it brings its own life jacket :smile:'),
  lunch(1210, 'ines', 'Soup today? There is a lot of pumpkin left.'),
  lunch(1207, 'tobias', 'Yes!'),
  lunch(1206, 'rahul', 'Yes, and I bring bread.'),
  varnish(1155, 'rahul', 'The varnish in can 3 has gone lumpy. Does anybody know how old it is?'),
  varnish(
    1148,
    'tobias',
    'From before my time. Throw it out, the new recipe is:\n\n```text\n2 parts tung oil\n1 part resin\nthin with turpentine\n```',
  ),
  varnish(1143, 'rahul', 'Thanks. I wrote it on the lid, next to `old, do not use`.'),
  invoices(
    1100,
    'ines',
    'Three invoices are overdue. I remind them tomorrow, unless @**Maren Holt** wants to call first.',
  ),
  invoices(1080, 'maren', 'I call the sailing school myself. Please remind the other two.'),
  openDay(
    1020,
    'maren',
    "For the open day we need somebody at the gate from ten o'clock. Who can do it?",
  ),
  openDay(1011, 'rahul', 'I can, until two.'),
  openDay(1003, 'yuki', 'I take over at two.'),
  planners(960, 'maren', 'Could the two of you write a sign with the prices?'),
  planners(951, 'ines', 'We can. Yuki, shall we do it tomorrow morning?'),
  planners(949, 'yuki', 'Yes, at nine.'),
  tides(660, 'tide', 'High water **07:25** and **19:48**, low water **13:33**.'),
  hello(641, 'ines', 'Good morning! The slipway is icy, walk carefully.'),
  hello(633, 'tobias', '/me spreads sand on the slipway'),
  heron(610, 'rahul', 'The bolts are ordered, they come on Thursday.'),
  heron(
    604,
    'tobias',
    'Good. Until then I plane the new oak. See #**boatyard>varnish** for what comes after.',
  ),
  lifejackets(
    571,
    'yuki',
    "I counted the life jackets: 22 adults, 9 children. Two of the children's have broken buckles.",
  ),
  lifejackets(564, 'ines', 'Please put those two aside, we must not rent them out.'),
  lifejackets(558, 'rahul', 'I can repair buckles. Leave them on my bench.'),
  inesAndRahul(540, 'ines', 'Did you find the spare rudder of the *Plover*?'),
  inesAndRahul(533, 'rahul', 'Behind the paint shelf. It was never lost, only shy.'),
  lunch(500, 'rahul', 'Leftover soup, everybody?'),
  lunch(497, 'ines', 'Leftover soup.'),
  openDay(
    431,
    'tobias',
    'Shall I show how a plank is steamed? It takes an hour and looks spectacular.',
  ),
  openDay(425, 'maren', 'Very good idea. At eleven, then. @**all** please tell your friends!'),
  openDay(411, 'yuki', 'I made a small page with the programme: https://harbour.example/open-day'),
  saturday(
    350,
    'ines',
    "A sixth booking: the *Tern* is taken all day, so I gave them the *Heron's* little sister, the *Egret*.",
  ),
  saturday(342, 'rahul', 'The *Egret* needs new oars first. I have a pair that fits.'),
  varnish(300, 'tobias', 'First coat on the test plank. Drying time about six hours at 15 °C.'),
  invoices(255, 'maren', 'The sailing school paid. :tada:'),
  invoices(249, 'ines', 'Booked. One of the other two answered as well.'),
  marenAndTobias(
    201,
    'tobias',
    'I need a second pair of hands on Thursday, when the keel goes on.',
  ),
  heron(
    160,
    'maren',
    'Thursday: @**Rahul Menon** and @**Inês Duarte**, can you help Tobias with the keel from eight to ten?',
  ),
  heron(151, 'rahul', 'Yes.'),
  lifejackets(121, 'rahul', 'Both buckles are repaired and tested: I hung from them.'),
  lifejackets(112, 'yuki', 'They are back on the rack. :+1:'),
  week(
    95,
    'maren',
    'The programme of the open day is final. Steam-bending at **eleven**, rowing for children at **three**.',
  ),
  planners(62, 'yuki', 'The sign is painted. It needs a night to dry.'),
  inesAndRahul(41, 'rahul', 'I take the dog family on Saturday, if you like. I am good with dogs.'),
  openDay(33, 'rahul', 'I borrowed four benches from the rowing club.'),
  tides(20, 'tide', 'High water **19:48**, low water **01:57**.'),
  hello(11, 'yuki', 'Does anybody know where the key of the boathouse is?'),
  hello(6, 'maren', 'On the hook behind the door. Welcome to your second day :smile:'),
  heron(
    3,
    'tobias',
    'The oak is planed. @**Maren Holt**, come and look at it before it gets dirty!',
  ),
];

/** The conversation of a day and a half, oldest first, ending now. */
export const demoConversation: readonly DemoMessage[] = unordered.toSorted(
  (a, b) => b.minutesAgo - a.minutesAgo,
);

/** The age up to which messages are read; younger messages are unread for that person. */
export const demoReadUntilMinutesAgo: Readonly<Partial<Record<PersonName, number>>> = {
  maren: 240,
  tobias: 120,
  ines: 400,
  rahul: 90,
  yuki: 700,
};
