import { namedValues } from "../../../../core/naming/named-values.ts";
import { answer, choice, date, decimal, field, flag, list, map, nullable, Type, uuid } from "../../../../core/schema/schema.ts";
import { UnbilledRead } from "../../reports/report-schemas.ts";
import { level } from "../subscription-schemas.ts";

export const BACKLOG_GROUPS = namedValues("BacklogGrouping", ["company", "month", "source"]);
export const BACKLOG_SOURCES = namedValues("BacklogSource", ["all", "subscription", "domain"]);

const SubscriptionLineOffer = answer("SubscriptionLineOffer", {
  description: Type.String({ description: "Text of the line on the document" }),
  quantity: decimal({ description: "How many, with 2 to 4 decimals" }),
  unit_price: decimal({ description: "Unit price with 2 to 4 decimals; whether it includes tax follows the document" }),
});

const PeriodOffer = answer("PeriodOffer", {
  period_start: field(nullable(date()), "Day the period begins; null if unknown"),
  period_end: field(date(), "Day the period ends, from which it is billed"),
  amount: decimal({ description: "Total of the whole period; a period is never split" }),
  lines: field(list(SubscriptionLineOffer), "The lines of a document for this period"),
  future: field(flag(false), "Whether it ends after the organisation's today"),
  already_billed: field(flag(false), "Whether a document bills it"),
});

const billable = {
  id: uuid(),
  name: Type.String({ description: "The agreement's or domain's name" }),
  amount: decimal({ description: "Today's price of one period, with 2 decimals" }),
  currency: Type.String({ description: "ISO 4217 code of its amounts" }),
  periods: field(list(PeriodOffer), "Open periods, the oldest first, including those already on a document"),
  no_cycle: field(flag(false), "True without a next invoice date, so no period can be offered"),
  truncated: field(flag(false), "True when only the newest 24 periods are listed"),
};

export const BillableSubscription = answer("BillableSubscription", {
  ...billable,
  interval: Type.String({ default: "", description: "`monthly`, `quarterly` or `yearly`" }),
});
export const BillableDomain = answer("BillableDomain", {
  ...billable,
  invoiceable: field(flag(true), "Whether the organisation bills it; the billing job skips it otherwise"),
  no_price: field(flag(false), "True when neither the domain nor its extension has a price"),
});

const RecurringBacklogItem = answer("RecurringBacklogItem", {
  id: Type.String({ description: "`<source>:<source_id>:<period_end>`, unique within the report" }),
  source: field(choice(["subscription", "domain"]), "What bills it: an agreement or a domain"),
  source_id: field(uuid(), "That agreement or domain"),
  company_id: field(nullable(uuid()), "The client; null without one"),
  company_name: Type.String({ default: "", description: "The client's name; empty without one" }),
  name: Type.String({ description: "The agreement's or domain's name" }),
  currency: Type.String({ description: "ISO 4217 code of `amount`" }),
  amount: decimal({ description: "Total of the period, with 2 decimals" }),
  auto_mode: field(level(), "What the billing job does with it: the agreement's or domain's own choice, else the organisation's"),
  period_start: field(nullable(date()), "Day the period begins; null if unknown"),
  period_end: field(date(), "Day the period ends, from which it is billed"),
  future: field(flag(false), "Whether it ends after the organisation's today"),
});

const UNCONVERTED = "Number of periods in another currency than the organisation's; the amount does not include them";
const total = {
  count: Type.Integer({ description: "Number of periods" }),
  amount: decimal({ description: "Sum of these periods in the organisation's currency" }),
  unconverted_count: Type.Integer({ description: UNCONVERTED }),
};
const RecurringBacklogGroup = answer("RecurringBacklogGroup", {
  key: Type.String({
    description: "The client's id (empty without one), the month `YYYY-MM` in which periods end, or the source",
  }),
  label: Type.String({ default: "", description: "The client's name; empty for months and sources" }),
  ...total,
});
const BacklogSourceTotal = answer("BacklogSourceTotal", total);

export const RecurringBacklogReport = answer("RecurringBacklogReport", {
  group: field(choice(BACKLOG_GROUPS), "What the groups are formed by, as requested"),
  source: field(choice(BACKLOG_SOURCES), "Selection of periods, as requested"),
  org_auto_invoice_mode: field(
    nullable(level()),
    "What the billing job does if an agreement or domain has no choice of its own, from the settings",
  ),
  groups: field(list(RecurringBacklogGroup), "Totals by group over all matching periods, whatever the requested `limit`"),
  items: field(list(RecurringBacklogItem), "Periods that are not billed, by their end, client and name; at most `limit`"),
  total_count: Type.Integer({ description: "Number of matching periods" }),
  total_amount: decimal({ description: "Sum of the matching periods in the organisation's currency" }),
  unconverted_count: Type.Integer({ description: UNCONVERTED }),
  totals_by_source: field(map(BacklogSourceTotal), "Totals of agreements and of domains, whatever the requested `source`"),
  truncated: Type.Boolean({ description: "True when there are more periods than `items` has" }),
});

export const OutstandingRead = answer("OutstandingRead", {
  hours: field(UnbilledRead, "The client's hours to invoice"),
  subscriptions: field(list(BillableSubscription), "Its agreements that are active or paused, with their open periods"),
  domains: field(
    list(BillableDomain),
    "Its domains that renew, with their open years; domains with `invoiceable` false are listed too",
  ),
});
