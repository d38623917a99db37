import { comparedSpan, type DaySpan } from "../../../core/calendar/named-spans.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { statement } from "../../../core/sql/statement.ts";
import { drilldownKey } from "../drilldowns/drilling.ts";
import { RANKINGS } from "../ranking-settings.ts";
import { rankingsKey } from "../report-sections/rankings.ts";
import type { DrilldownRow, RankedKeyword } from "../sources/source.ts";

/** A link of the demo, and the position of its client. */
export interface DemoLink {
  id: string;
  source: string;
  place: number;
  label: string;
}

/** The stored figures of a link in a span. */
interface Sums {
  link_id: string;
  from: string;
  to: string;
  searched: number;
  social: number;
  referred: number;
  key_events: number;
  clicks: number;
  impressions: number;
  top3: number;
  top10: number;
}

const SUMS = statement(`select d.link_id, s.start_on::text as from, s.end_on::text as to,
    coalesce(sum((d.channels ->> 'Organic Search')::int), 0)::float8 as searched,
    coalesce(sum((d.channels ->> 'Organic Social')::int), 0)::float8 as social,
    coalesce(sum((d.channels ->> 'Referral')::int), 0)::float8 as referred,
    coalesce(sum((d.metrics ->> 'keyEvents')::int), 0)::float8 as key_events,
    coalesce(sum((d.metrics ->> 'clicks')::int), 0)::float8 as clicks,
    coalesce(sum((d.metrics ->> 'impressions')::int), 0)::float8 as impressions,
    coalesce((array_agg((d.metrics ->> 'top3')::int order by d.day desc))[1], 0) as top3,
    coalesce((array_agg((d.metrics ->> 'top10')::int order by d.day desc))[1], 0) as top10
  from jsonb_to_recordset($2::jsonb) s (start_on date, end_on date)
  join marketing_days d on d.organisation_id = $1 and d.day between s.start_on and s.end_on
  group by d.link_id, s.start_on, s.end_on`);
// No source answers in the demo, so these answers outlive the cache's hour.
const KEEP = statement(`insert into marketing_answers (organisation_id, cache_key, answer, fetched_at)
  select $1, a.key, a.answer, statement_timestamp() + interval '1 year' from jsonb_to_recordset($2::jsonb) a (key text, answer jsonb)
  on conflict do nothing`);

/** The referrers of a channel, and the events, with their shares in percent. */
const PARTS = {
  organic_sources: { google: 88, bing: 7, duckduckgo: 3, ecosia: 2 },
  social_sources: { "linkedin.com": 46, "instagram.com": 33, "facebook.com": 21 },
  referral_sources: { "stadsgids.example": 41, "branchegids.example": 34, "nieuwsblad.example": 25 },
  key_events: { generate_lead: 57, phone_call: 28, newsletter_signup: 15 },
} as const;
/** What people search for, by the position of the client. */
const TOPICS = [
  ["advocaat arbeidsrecht", "advocaat ontslag", "letselschade advocaat", "advocaat ondernemingsrecht", "huurrecht advocaat"],
  ["architect woonhuis", "architect verbouwing", "aanbouw ontwerp", "architect duurzaam bouwen", "villa architect"],
  ["ambachtelijke bakker", "desembrood", "taart bestellen", "glutenvrij brood", "bakker open op zondag"],
  ["bloemen bezorgen", "bruidsboeket", "rouwboeket", "bloemenabonnement", "bloemist"],
];
const AROUND = ["", " kosten", " in de buurt", " utrecht", " ervaringen"];
const QUERY_SHARES = [21, 14, 11, 8, 6, 5];
/** Places gained by keywords, again and again. */
const GAINS = [2, 0, 1, -1, 3, 0, 1, 4, -2, 0];

/** The issues of a website's audit by severity, with the number of pages. */
const ISSUES = [
  ["Interne links naar pagina's met status 404", "error", 4],
  ["Pagina's zonder titel", "error", 1],
  ["Meta-omschrijving ontbreekt", "warning", 18],
  ["Afbeeldingen zonder alternatieve tekst", "warning", 11],
  ["Dubbele titels", "warning", 6],
  ["Pagina's met weinig tekst", "notice", 9],
  ["Lange adressen", "notice", 3],
] as const;

/** Splits a whole number by shares; the first part takes what rounding leaves. */
function split(total: number, shares: readonly number[]): number[] {
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const [, ...others] = shares.map((share) => Math.floor((total * share) / whole));
  return [total - others.reduce((sum, part) => sum + part, 0), ...others];
}

const rowOf = (label: string, metrics: Record<string, number>): DrilldownRow => ({ label, key: label, href: null, metrics });

function visitRows(shares: Readonly<Record<string, number>>, visits: number): DrilldownRow[] {
  const parts = split(visits, Object.values(shares));
  return Object.keys(shares).map((label, at) => {
    const sessions = parts[at] ?? 0;
    return rowOf(label, {
      sessions,
      newUsers: Math.round(sessions * 0.6),
      totalUsers: Math.round(sessions * 0.85),
      screenPageViews: Math.round(sessions * (2.4 - at * 0.2)),
      userEngagementDuration: sessions * (52 - at * 4),
      engagementRate: 0.62 - at * 0.04,
      keyEvents: Math.round(sessions / 25),
    });
  });
}

/** The six most frequent queries; the others are too rare for Google to name. */
function queryRows({ place, label }: DemoLink, { clicks, impressions }: Sums): DrilldownRow[] {
  const brand = (label.split(".")[0] ?? label).replaceAll("-", " ");
  return [brand, ...(TOPICS[place % TOPICS.length] ?? [])].map((name, at) => {
    const share = (QUERY_SHARES[at] ?? 0) / 100;
    const shown = Math.round((impressions * share) / (at === 0 ? 4 : 0.9));
    const clicked = Math.min(shown, Math.round(clicks * share));
    return rowOf(name, {
      clicks: clicked,
      impressions: shown,
      ctr: shown === 0 ? 0 : clicked / shown,
      position: at === 0 ? 1.2 : 3.4 + at * 1.6,
    });
  });
}

/** What a site audit found; the key of an issue is its severity. */
const auditIssues = ({ place }: DemoLink): DrilldownRow[] =>
  ISSUES.map(([label, key, pages]) => ({ label, key, href: null, metrics: { pages: pages + place } }));

const keyword = (name: string, end: number, gain: number, rest: Pick<RankedKeyword, "volume" | "impressions">): RankedKeyword => {
  const begin = Math.max(1, end + gain);
  const status = begin > end ? "improved" : begin < end ? "declined" : "unchanged";
  return { keyword: name, group: null, engine: null, page: null, begin, end, change: begin - end, status, ...rest };
};

/** Tracked keywords, with as many in the top 3 and 10 as the stored figures say. */
const trackedKeywords = ({ place }: DemoLink, { top3, top10 }: Sums): RankedKeyword[] =>
  AROUND.flatMap((around) => (TOPICS[place % TOPICS.length] ?? []).map((topic) => topic + around)).map((name, at) => {
    const end = at < top3 ? 1 + (at % 3) : at < top10 ? 4 + ((at - top3) % 7) : 11 + (at - top10);
    return keyword(name, end, GAINS[at % GAINS.length] ?? 0, { volume: 1900 - at * 70, impressions: null });
  });

const searchedKeywords = (rows: readonly DrilldownRow[]): RankedKeyword[] =>
  rows.map(({ label, metrics: { position = 0, impressions = 0 } }, at) =>
    keyword(label, Math.round(position), GAINS[at % GAINS.length] ?? 0, { volume: null, impressions }),
  );

/** The answers about a link in one span, by the key under which they are cached. */
function answersOf(link: DemoLink, sums: Sums): [string, readonly unknown[]][] {
  const span: DaySpan = { from: sums.from, to: sums.to };
  const rankings = rankingsKey(link.id, span, comparedSpan(span, "year"), RANKINGS);
  const drilldowns = (rows: Record<string, DrilldownRow[]>): [string, DrilldownRow[]][] =>
    Object.entries(rows).map(([kind, some]) => [drilldownKey(link.id, kind, span), some]);
  if (link.source === "ga4") {
    const events = split(sums.key_events, Object.values(PARTS.key_events));
    return drilldowns({
      organic_sources: visitRows(PARTS.organic_sources, sums.searched),
      social_sources: visitRows(PARTS.social_sources, sums.social),
      referral_sources: visitRows(PARTS.referral_sources, sums.referred),
      key_events: Object.keys(PARTS.key_events).map((label, at) => rowOf(label, { keyEvents: events[at] ?? 0 })),
    });
  }
  if (link.source === "seranking") return [...drilldowns({ audit: auditIssues(link) }), [rankings, trackedKeywords(link, sums)]];
  if (link.source !== "gsc") return [];
  const queries = queryRows(link, sums);
  return [...drilldowns({ top_queries: queries }), [rankings, searchedKeywords(queries)]];
}

/** Stores what the sources would answer about some spans: breakdowns that add up to the stored figures, and keywords. */
export async function keepDemoAnswers(
  organisationId: string,
  links: readonly DemoLink[],
  spans: readonly DaySpan[],
): Promise<void> {
  const rows = spans.map(({ from, to }) => ({ start_on: from, end_on: to }));
  const sums = await query<Sums>(SUMS, [organisationId, JSON.stringify(rows)]);
  const byId = new Map(links.map((link) => [link.id, link]));
  const answers = sums.flatMap((one) => {
    const link = byId.get(one.link_id);
    return link ? answersOf(link, one) : [];
  });
  enqueue(KEEP, [organisationId, JSON.stringify(answers.map(([key, answer]) => ({ key, answer })))]);
}
