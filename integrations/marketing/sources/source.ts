import type { Transactions } from "../../../mixins/google/transactions.ts";
import type { MarketingLinkRow } from "../models.ts";

/** The days from `from` to `to`, inclusive, as `YYYY-MM-DD`. */
export interface Span {
  from: string;
  to: string;
}

/**
 * How a metric is aggregated over several days (marketing-ads §2.1): `sum`; the mean of the days, plain or weighted by another metric (0 if
 * the weights are 0); or `period`, the value of the whole span, fetched from the source.
 */
export type Aggregation = "sum" | "mean" | "period" | { mean: string };

/** One metric of a source. */
export interface MetricDeclaration {
  aggregation: Aggregation;
  /** Lower values are better. */
  lowerIsBetter?: true;
  /** The metric whose stored values it repeats; it is not stored itself. */
  mirrors?: string;
}

/** The credential that a source is read with. */
export type SourceCredential =
  /** A person's grant, which must cover a scope. */
  | { kind: "grant"; scope: string; connectFlag: string }
  /** One key of the organisation. */
  | { kind: "key" }
  /** A credential of the website that the link names. */
  | { kind: "website" };

/** The figures of one day. A missing metric was not reported. */
export interface SourceDay {
  day: string;
  metrics: Readonly<Record<string, number>>;
  channels?: Readonly<Record<string, number>>;
}
export interface SourceDays {
  days: SourceDay[];
  /** Currency of the amounts, ISO 4217. */
  currency?: string | null;
  /** Days of the span that are missing have no figures at the source; their stored figures are deleted. */
  isComplete?: true;
  /** The answer says nothing about the days of the span, so they stay unread. */
  isUnread?: true;
  /** This answer used up the provider's quota: no call before this instant, ISO 8601. */
  pausedUntil?: string | null;
  /** A follow-up request about the days failed: the run stores what arrived, then fails with this. */
  failure?: SourceFailure;
}

/** An account that can be linked (marketing-ads §2.3). */
export interface SourceAccount {
  external_id: string;
  display_name: string;
  account_hint: string | null;
  config: Record<string, unknown>;
}

/** One row of a drilldown (marketing-ads §2.7). */
export interface DrilldownRow {
  label: string;
  key: string | null;
  href: string | null;
  metrics: Record<string, number>;
}

/** The context in which a run or a request reads a source. */
export interface SourceAccess {
  /** Access to the organisation's data; no transaction is open while the source is called. */
  transactions: Transactions;
  /** The connection used for calls; null for a source without grants. */
  connectionId: string | null;
  /** The website whose credential is used; null for other sources. */
  websiteId: string | null;
  signal?: AbortSignal;
  /** When the quota resets, if an answer used it up although it succeeded. The source sets it; the reader pauses the link. */
  pausedUntil?: string;
}

/** The span of a keyword report and its comparison span. */
export interface RankingSpans {
  current: Span;
  previous: Span;
}

/** Which keywords a report shows (marketing-ads §2.4). A source gives all that fit; the report cuts them. */
export interface RankingRules {
  /** How many the report shows; a source may read by it. */
  limit: number;
  min_impressions: number;
  max_position: number;
}

/** A keyword in a report. Position 0 means not ranking. */
export interface RankedKeyword {
  keyword: string;
  /** Group, search engine and landing page of the keyword; null if the source does not report them. */
  group: string | null;
  engine: string | null;
  page: string | null;
  begin: number;
  end: number;
  /** Positions gained; negative for lost ones, 0 if it did not rank at one of the ends. */
  change: number;
  status: "new" | "dropped" | "improved" | "declined" | "unchanged" | "stable";
  /** Searches per month; null if the source does not report them. */
  volume: number | null;
  /** Impressions in `current`; null if the source does not report them. */
  impressions: number | null;
}

/** The calls of a source, loaded on first use. Every failure is a SourceFailure. */
export interface SourceCalls {
  accounts(access: SourceAccess): Promise<SourceAccount[]>;
  /** Days without figures may be missing. */
  days(access: SourceAccess, link: MarketingLinkRow, span: Span): Promise<SourceDays>;
  drilldown(access: SourceAccess, link: MarketingLinkRow, kind: string, span: Span): Promise<DrilldownRow[]>;
  /** The values of the `period` metrics, one record per span in order. */
  periodValues?(access: SourceAccess, link: MarketingLinkRow, spans: readonly Span[]): Promise<Record<string, number>[]>;
  /** Keywords and their positions, for sources that track them. */
  rankings?(access: SourceAccess, link: MarketingLinkRow, spans: RankingSpans, rules: RankingRules): Promise<RankedKeyword[]>;
}

/** A kind of drilldown and its columns in order. */
export interface DrilldownDeclaration {
  columns: readonly string[];
}

/** A metric source as the rest of the module sees it. Each source has its own file, which the registry finds. */
export interface MarketingSource {
  key: string;
  /** Display order. */
  position: number;
  credential: SourceCredential;
  /** In display order; the first is the primary metric. */
  metrics: Readonly<Record<string, MetricDeclaration>>;
  drilldowns: Readonly<Record<string, DrilldownDeclaration>>;
  /** A client's layout cannot choose among its drilldowns (marketing-ads §2.5). */
  fixedDrilldowns?: true;
  /** Days before today that the source can lack; trailing empty ones are not counted (marketing-ads §2.6). */
  lateDays?: number;
  /** Days before today that a backfill reads, for a source that keeps fewer than usual. */
  backfillDays?: number;
  /** Days that the weekly run re-reads; none if undefined. */
  restatedDays?: number;
  /**
   * Whether everything that calls need besides the credential is configured; runs in a transaction. Undefined if nothing else is needed.
   */
  isConfigured?(): Promise<boolean>;
  /** The one spelling of an account; null for a text that names none. Undefined if every text is an account of its own. */
  spelling?: (externalId: string) => string | null;
  /** Address of the account on the source's own site. */
  deepLink(link: Pick<MarketingLinkRow, "external_id" | "config">, siteAddress: string | null): string;
  calls(): Promise<SourceCalls>;
}

/** Days before today that a backfill reads of most sources. */
const BACKFILL_DAYS = 800;

/** Days before today that a backfill reads of a source (marketing-ads §2.10). */
export const reachOf = ({ backfillDays = BACKFILL_DAYS }: Pick<MarketingSource, "backfillDays">): number => backfillDays;

export const defineSource = (source: MarketingSource): MarketingSource => source;

/** Why a source gave no figures. */
export class SourceFailure extends Error {
  override name = "SourceFailure";
  /** The failure key that is stored as `last_error` or shown as the reason, such as `marketing.accounts_error`. */
  readonly key: string;
  /** When the source can be read again; null for the next run. */
  readonly pausedUntil: string | null;

  constructor(key: string, { pausedUntil = null, cause }: { pausedUntil?: string | null; cause?: unknown } = {}) {
    super(key, { cause });
    this.key = key;
    this.pausedUntil = pausedUntil;
  }
}
