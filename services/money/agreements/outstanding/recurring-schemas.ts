import { answer, choice, date, decimal, flag, list, map, nullable, Type, uuid } from "../../../../core/declare/schema.ts";
import { UnbilledRead } from "../../reports/report-schemas.ts";
import { level } from "../subscription-schemas.ts";

export const BACKLOG_GROUPS = ["company", "month", "source"] as const;
export const BACKLOG_SOURCES = ["all", "subscription", "domain"] as const;

const SubscriptionLineOffer = answer("SubscriptionLineOffer", {
  description: Type.String(),
  quantity: decimal(),
  unit_price: decimal(),
});

const PeriodOffer = answer("PeriodOffer", {
  period_start: nullable(date()),
  period_end: date(),
  amount: decimal(),
  lines: list(SubscriptionLineOffer),
  future: flag(false),
  already_billed: flag(false),
});

const billable = {
  id: uuid(),
  name: Type.String(),
  amount: decimal(),
  currency: Type.String(),
  periods: list(PeriodOffer),
  no_cycle: flag(false),
  truncated: flag(false),
};

export const BillableSubscription = answer("BillableSubscription", { ...billable, interval: Type.String({ default: "" }) });
export const BillableDomain = answer("BillableDomain", { ...billable, invoiceable: flag(true), no_price: flag(false) });

const RecurringBacklogItem = answer("RecurringBacklogItem", {
  id: Type.String(),
  source: choice(["subscription", "domain"]),
  source_id: uuid(),
  company_id: nullable(uuid()),
  company_name: Type.String({ default: "" }),
  name: Type.String(),
  currency: Type.String(),
  amount: decimal(),
  auto_mode: level(),
  period_start: nullable(date()),
  period_end: date(),
  future: flag(false),
});

const UNCONVERTED = "Periods in another currency than the organisation's, which the amount leaves out";
const total = {
  count: Type.Integer(),
  amount: decimal({ description: "In the organisation's currency" }),
  unconverted_count: Type.Integer({ description: UNCONVERTED }),
};
const RecurringBacklogGroup = answer("RecurringBacklogGroup", {
  key: Type.String(),
  label: Type.String({ default: "" }),
  ...total,
});
const BacklogSourceTotal = answer("BacklogSourceTotal", total);

export const RecurringBacklogReport = answer("RecurringBacklogReport", {
  group: choice(BACKLOG_GROUPS),
  source: choice(BACKLOG_SOURCES),
  org_auto_invoice_mode: nullable(level()),
  groups: list(RecurringBacklogGroup),
  items: list(RecurringBacklogItem),
  total_count: Type.Integer(),
  total_amount: decimal({ description: "In the organisation's currency" }),
  unconverted_count: Type.Integer({ description: UNCONVERTED }),
  totals_by_source: map(BacklogSourceTotal),
  truncated: Type.Boolean(),
});

export const OutstandingRead = answer("OutstandingRead", {
  hours: UnbilledRead,
  subscriptions: list(BillableSubscription),
  domains: list(BillableDomain),
});
