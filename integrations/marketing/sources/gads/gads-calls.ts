import { isDate } from "../../../../core/calendar/calendar.ts";
import { reachableAccounts } from "../../../../mixins/google-ads/reachable.ts";
import { adsAccess, adsAccessOf, managerOf, searchAds } from "../../../../mixins/google-ads/transport.ts";
import type { MarketingLinkRow } from "../../models.ts";
import { requireNotPaused, unreadable } from "../google-grant.ts";
import type { DrilldownRow, SourceAccess, SourceAccount, SourceCalls, SourceDays, Span } from "../source.ts";
import { readAds } from "./ads-grant.ts";

/** The advertising accounts that a grant can access. @throws SourceFailure */
const adsAccounts = (access: SourceAccess): Promise<SourceAccount[]> =>
  readAds(
    access,
    () => adsAccessOf(access.connectionId, access.transactions),
    async (ads) =>
      (await reachableAccounts(ads)).accounts.map(
        ({ customer_id, descriptive_name, login_customer_id, currency_code, hint }) => ({
          external_id: customer_id,
          display_name: descriptive_name,
          account_hint: hint || null,
          config: { currency: currency_code, manager_id: login_customer_id },
        }),
      ),
  );

type Reading = Pick<MarketingLinkRow, "id" | "external_id" | "config" | "paused_until">;

const MICROS = 1_000_000;
const TOP_CAMPAIGNS = 10;
const FIELDS = "metrics.cost_micros, metrics.clicks, metrics.impressions, metrics.conversions, metrics.conversions_value";
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

interface Row {
  customer?: { currencyCode?: unknown };
  campaign?: { id?: unknown; name?: unknown };
  segments?: { date?: unknown };
  metrics?: Record<string, unknown>;
}

/** Parses a figure; 0 if Google Ads omits it. @throws SourceFailure unless it is a number */
function figure(value: unknown): number {
  if (value === undefined) return 0;
  if (!NUMBER.test(String(value))) throw unreadable("a metric of Google Ads is not a number");
  return Number(value);
}

const metricsOf = ({ metrics = {} }: Row): Record<string, number> => ({
  cost: figure(metrics["costMicros"]) / MICROS,
  clicks: figure(metrics["clicks"]),
  impressions: figure(metrics["impressions"]),
  conversions: figure(metrics["conversions"]),
  conversionsValue: figure(metrics["conversionsValue"]),
});

const digits = (value: unknown): string => (typeof value === "string" ? value.replace(/\D/g, "") : "");

/** Queries the account of a link. @throws SourceFailure */
async function search(access: SourceAccess, link: Reading, query: string, operation: string): Promise<Row[]> {
  requireNotPaused(link);
  const customer_id = digits(link.external_id);
  if (customer_id === "") throw unreadable("the link names no account");
  const { connectionId: connection_id, transactions, signal } = access;
  // A link keeps the manager of its creation; the account's own can have changed.
  const login_customer_id = await transactions.read(() => managerOf(customer_id, digits(link.config["manager_id"]) || null));
  const account = { id: link.id, customer_id, login_customer_id, connection_id };
  return readAds(
    access,
    () => adsAccess(account, transactions),
    (ads) => searchAds<Row>(ads, query, { operation, ...(signal && { signal }) }),
  );
}

const within = ({ from, to }: Span) => `segments.date BETWEEN '${from}' AND '${to}'`;

async function days(access: SourceAccess, link: Reading, span: Span): Promise<SourceDays> {
  const query = `SELECT segments.date, customer.currency_code, ${FIELDS} FROM customer WHERE ${within(span)}`;
  const rows = await search(access, link, query, "customer.days");
  const currency = rows[0]?.customer?.currencyCode;
  return {
    currency: typeof currency === "string" ? currency : null,
    isComplete: true,
    days: rows.map((row) => {
      const day = row.segments?.date;
      if (!isDate(day) || day < span.from || day > span.to) throw unreadable("Google Ads returned a day that was not requested");
      return { day, metrics: metricsOf(row) };
    }),
  };
}

async function drilldown(access: SourceAccess, link: Reading, _kind: string, span: Span): Promise<DrilldownRow[]> {
  const query = `SELECT campaign.id, campaign.name, ${FIELDS} FROM campaign WHERE ${within(span)} ORDER BY metrics.cost_micros DESC LIMIT ${TOP_CAMPAIGNS}`;
  const rows = await search(access, link, query, "campaign.top");
  return rows.map((row) => {
    const { id, name } = row.campaign ?? {};
    if (typeof id !== "string") throw unreadable("a campaign of Google Ads has no id");
    return { label: typeof name === "string" && name !== "" ? name : id, key: id, href: null, metrics: metricsOf(row) };
  });
}

export const calls: SourceCalls = { accounts: adsAccounts, days, drilldown };
