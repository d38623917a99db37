import type { Transactions } from "../../../mixins/google/transactions.ts";
import type { MarketingLinkRow } from "../models.ts";

/** Days from `from` to `to`, both included, as `YYYY-MM-DD`. */
export interface Span {
  from: string;
  to: string;
}

/**
 * How a metric of several days becomes one number (marketing-ads §2.1): `sum`; the mean of the days, weighted by another metric of theirs (0
 * where that is 0) or plain; or `period`, the value of the whole span, which the source itself is asked for.
 */
export type Aggregation = "sum" | "mean" | "period" | { mean: string };

/** One metric of a source. */
export interface MetricDeclaration {
  aggregation: Aggregation;
  /** A falling value is a better one. */
  lowerIsBetter?: true;
  /** The metric whose stored values it repeats: it is not stored itself. */
  mirrors?: string;
}

/** What a source is read with. */
export type SourceCredential =
  /** A person's grant, which must cover a scope. */
  | { kind: "grant"; scope: string; connectFlag: string }
  /** One key of the organisation. */
  | { kind: "key" }
  /** A credential of the website that the link names. */
  | { kind: "website" };

/** The figures of one day. A metric that is not there was not reported. */
export interface SourceDay {
  day: string;
  metrics: Readonly<Record<string, number>>;
  channels?: Readonly<Record<string, number>>;
}
export interface SourceDays {
  days: SourceDay[];
  /** Currency of money among the metrics, ISO 4217. */
  currency?: string | null;
  /** Days of the span that are not among them have no figures at the source: what is stored of such a day goes. */
  isComplete?: true;
  /** The provider's quota was used up by these very days: no call before this instant, ISO 8601. */
  pausedUntil?: string | null;
  /** A further question about the days failed: what arrived is stored, and the run then fails with this. */
  failure?: SourceFailure;
}

/** One account that may be linked (marketing-ads §2.3). */
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

/** What a run or a request brings along to read a source. */
export interface SourceAccess {
  /** How the organisation's data is read and written; none is open while the source is asked. */
  transactions: Transactions;
  /** The connection that is called with; null for a source without grants. */
  connectionId: string | null;
  /** The website whose credential is used; null for other sources. */
  websiteId: string | null;
  signal?: AbortSignal;
}

/** The spans of a report of keywords: its own, and the one it is compared with. */
export interface RankingSpans {
  current: Span;
  previous: Span;
}

/** Which keywords a report shows (marketing-ads §2.4). */
export interface RankingRules {
  limit: number;
  min_impressions: number;
  max_position: number;
}

/** A keyword in a report. A position of 0: not ranking. */
export interface RankedKeyword {
  keyword: string;
  /** Group of the keyword, search engine and landing page; null where the source knows none. */
  group: string | null;
  engine: string | null;
  page: string | null;
  begin: number;
  end: number;
  /** Places won; negative for places lost, 0 where it did not rank at one of the ends. */
  change: number;
  status: "new" | "dropped" | "improved" | "declined" | "unchanged" | "stable";
  /** Searches a month; null where the source does not tell. */
  volume: number | null;
  /** Times shown in `current`; null where the source does not tell. */
  impressions: number | null;
}

/** The calls of a source, loaded at the first of them. Every failure is a SourceFailure. */
export interface SourceCalls {
  accounts(access: SourceAccess): Promise<SourceAccount[]>;
  /** Days without figures may be absent. */
  days(access: SourceAccess, link: MarketingLinkRow, span: Span): Promise<SourceDays>;
  drilldown(access: SourceAccess, link: MarketingLinkRow, kind: string, span: Span): Promise<DrilldownRow[]>;
  /** The values of the `period` metrics for each of several whole spans, in their order. */
  periodValues?(access: SourceAccess, link: MarketingLinkRow, spans: readonly Span[]): Promise<Record<string, number>[]>;
  /** Keywords and their positions, of a source that tracks them. */
  rankings?(access: SourceAccess, link: MarketingLinkRow, spans: RankingSpans, rules: RankingRules): Promise<RankedKeyword[]>;
}

/** One kind of drilldown and its columns in order. */
export interface DrilldownDeclaration {
  columns: readonly string[];
}

/** A metric source: everything that other parts know of it. One file each; the registry finds it. */
export interface MarketingSource {
  key: string;
  /** Sources are listed by it. */
  position: number;
  credential: SourceCredential;
  /** In order of display; the first is the primary one. */
  metrics: Readonly<Record<string, MetricDeclaration>>;
  drilldowns: Readonly<Record<string, DrilldownDeclaration>>;
  /** Always all of its drilldowns: a client's layout may not choose among them (marketing-ads §2.5). */
  fixedDrilldowns?: true;
  /** Days before today that a source may still lack: trailing empty ones are not counted (marketing-ads §2.6). */
  lateDays?: number;
  /** Days that the weekly restatement reads again; absent: none. */
  restatedDays?: number;
  /** Whether the organisation has what every call needs beside the credential; asked within a transaction. Absent: nothing else is needed. */
  isConfigured?(): Promise<boolean>;
  /** Whether two spellings name one account. Absent: only equal ones do. */
  sameAccount?: (externalId: string) => string;
  /** Address of the source's own screen. */
  deepLink(link: Pick<MarketingLinkRow, "external_id" | "config">, siteAddress: string | null): string;
  calls(): Promise<SourceCalls>;
}

/** Types a source. */
export const defineSource = (source: MarketingSource): MarketingSource => source;

/** Why a source gave no figures. */
export class SourceFailure extends Error {
  override name = "SourceFailure";
  /** The key that is kept as `last_error` or shown as reason, such as `marketing.accounts_error`. */
  readonly key: string;
  /** When the source may be asked again; null: at the next run. */
  readonly pausedUntil: string | null;

  constructor(key: string, { pausedUntil = null, cause }: { pausedUntil?: string | null; cause?: unknown } = {}) {
    super(key, { cause });
    this.key = key;
    this.pausedUntil = pausedUntil;
  }
}
