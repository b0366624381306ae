/**
 * The endings that make bare text a domain (reference facts, markdown 4.6): a list of 2013 without `md` and `py`, so that file names stay
 * text.
 */
const names = `
ac ad ae aero af ag ai al am an ao aq ar arpa as asia at au aw ax az ba bb bd be bf bg bh bi
biz bj bm bn bo br bs bt bv bw by bz ca cat cc cd cf cg ch ci ck cl cm cn co com coop cr cu cv
cw cx cy cz de dj dk dm do dz ec edu ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh
gi gl gm gn gov gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in info int io iq ir is
it je jm jo jobs jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc me
mg mh mil mk ml mm mn mo mobi mp mq mr ms mt mu museum mv mw mx my mz na name nc ne net nf ng
ni nl no np nr nu nz om org pa pe pf pg ph pk pl pm pn post pr pro ps pt pw qa re ro rs ru rw
sa sb sc sd se sg sh si sj sk sl sm sn so sr st su sv sx sy sz tc td tel tf tg th tj tk tl tm
tn to tp tr travel tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws xxx ye yt za zm zw
`;

const knownDomains = new Set(names.trim().split(/\s+/));

/** Domains from the same date in Punycode. */
const punycodeDomain = /^xn--[a-z0-9]+$/;

export function isTopLevelDomain(label: string): boolean {
  return knownDomains.has(label) || punycodeDomain.test(label);
}
