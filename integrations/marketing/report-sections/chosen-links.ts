import { addDays, earlier, type IsoDate, later } from "../../../core/calendar/dates.ts";
import type { Comparison, DaySpan } from "../../../core/calendar/named-spans.ts";
import { dateIn } from "../../../core/calendar/zones.ts";
import { query } from "../../../core/database/query.ts";
import type { GatheredFor } from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { comparisonOf } from "../../../mixins/report-sections/report-line.ts";
import { resolvedReport } from "../../../mixins/report-sections/report-split.ts";
import { ASKED, ASKED_FROM, type AskedLink, visibleLink } from "../drilldowns/asked-link.ts";
import { feeding } from "../feeding.ts";
import { type Rankings, resolvedRankings } from "../ranking-settings.ts";
import { type ShownSource, shownOf } from "../settings/layout.ts";
import { UNREADABLE } from "../sources/failures.ts";
import { sources } from "../sources/registry.ts";
import { type MarketingSource, SourceFailure } from "../sources/source.ts";

type StoredValues = Record<string, unknown> | null;

/** An active link with its client's settings, for reports. */
export interface ReportLink extends AskedLink {
  website_name: string | null;
  /** The newest day that is stored or was read; null without one. */
  last_day: IsoDate | null;
  currency: string | null;
  rankings: StoredValues;
  report: StoredValues;
  default_rankings: StoredValues;
  default_report: StoredValues;
}

const LINKS = statement(`select ${ASKED}, null::text as locale, s.rankings, s.report, o.rankings as default_rankings,
    o.report as default_report, w.label as website_name, greatest(d.day, upper(t.read_days) - 1) as last_day, d.currency
  from ${ASKED_FROM}
  left join marketing_settings o on o.organisation_id = t.organisation_id
  left join websites x on x.organisation_id = t.organisation_id and x.id = t.website_id
  left join domains w on w.organisation_id = x.organisation_id and w.id = x.domain_id
  left join lateral (select y.day, y.currency from marketing_days y where y.organisation_id = t.organisation_id and y.link_id = t.id
    order by y.day desc limit 1) d on true
  where t.organisation_id = $1 and t.company_id = $2 and ${feeding("t")} and ${visibleLink("$3")}
  order by t.display_name collate kantoor_text, t.id`);

/** A client's links in its report, without excluded and hidden ones. */
export interface ReportedLinks {
  links: readonly ReportLink[];
  isSplit: boolean;
  rankings: Rankings;
}

const shownFor = (source: MarketingSource, { layout, show_key_events }: AskedLink): ShownSource =>
  shownOf(source, { layout, show_key_events: show_key_events ?? true });

/** Reads the links that a client's report covers. */
export async function reportedLinks({ company_id }: GatheredFor): Promise<ReportedLinks> {
  const { organisation, principal } = request();
  const links = await query<ReportLink>(LINKS, [organisation.id, company_id, principal?.selection ?? null]);
  const [first] = links;
  const { split, exclude } = resolvedReport(first?.report, first?.default_report);
  const isReported = (link: ReportLink) => {
    const source = sources.get(link.source);
    return source !== undefined && !exclude.includes(link.id) && !shownFor(source, link).hidden;
  };
  return {
    links: links.filter(isReported),
    isSplit: split === "per_website",
    rankings: resolvedRankings(first?.rankings, first?.default_rankings),
  };
}

/** Links printed together: those of one website, or all of the section. */
export interface LinkGroup {
  /** Null for the group of all links. */
  key: string | null;
  name: string;
  links: readonly ReportLink[];
}

/** The links and spans of a section. */
export interface ChosenLinks {
  asked: GatheredFor;
  source: MarketingSource;
  shown: ShownSource;
  all: LinkGroup;
  /** The websites that the section is split by; empty if it is printed as one. */
  parts: readonly LinkGroup[];
  span: DaySpan;
  compared: DaySpan;
  mode: Comparison;
  today: IsoDate;
  /** The last day up to which every link was read. */
  readUntil: IsoDate;
}

/** Group key of a link: its website, or the link itself if it has none. */
export const groupOf = ({ website_id, id }: ReportLink): string => website_id ?? id;

/** Links grouped by website; empty if there is only one. */
export function websitesOf(links: readonly ReportLink[]): LinkGroup[] {
  const groups = [...Map.groupBy(links, groupOf)].map(([key, some]) => {
    const [first] = some as [ReportLink];
    return { key, name: first.website_name ?? first.display_name, links: some };
  });
  return groups.length > 1 ? groups : [];
}

/** The last day that was read for a link; null if it was never read. */
function readOf({ last_synced_at, last_day }: ReportLink): IsoDate | null {
  if (last_synced_at === null) return last_day;
  // A run reads up to the previous day.
  const synced = addDays(dateIn(organisationZone(), last_synced_at), -1);
  return last_day === null ? synced : later(synced, last_day);
}

/**
 * The links of a source that a section prints, without those never read; null if there are none.
 * @throws SourceFailure if a link was not read in the span, because missing days would look like zero visitors
 */
export function chosenLinks(asked: GatheredFor, { links, isSplit }: ReportedLinks, sourceKey: string): ChosenLinks | null {
  const source = sources.get(sourceKey);
  const span = { from: asked.span.start, to: asked.span.end };
  const compared = { from: asked.compared.start, to: asked.compared.end };
  const read = links.flatMap((link) => {
    if (link.source !== sourceKey) return [];
    const until = readOf(link);
    if (until === null ? link.last_error !== null : until < span.from) throw new SourceFailure(link.last_error ?? UNREADABLE);
    return until === null ? [] : [{ link, until }];
  });
  const [first] = read;
  if (source === undefined || first === undefined) return null;
  const chosen = read.map(({ link }) => link);
  return {
    asked,
    source,
    shown: shownFor(source, first.link),
    all: { key: null, name: "", links: chosen },
    parts: isSplit ? websitesOf(chosen) : [],
    span,
    compared,
    mode: comparisonOf(asked),
    today: organisationToday(),
    readUntil: read.map(({ until }) => until).reduce(earlier),
  };
}

/** Like `chosenLinks`, but reads the client's links first. @throws SourceFailure */
export const chosenFor = async (asked: GatheredFor, sourceKey: string): Promise<ChosenLinks | null> =>
  chosenLinks(asked, await reportedLinks(asked), sourceKey);
