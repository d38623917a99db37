import { answer, choice, date, decimal, flag, instant, list, nullable, Type, uuid } from "../../../core/declare/schema.ts";

const UnbilledEntry = answer("UnbilledEntry", {
  id: uuid(),
  description: nullable(Type.String()),
  started_at: instant(),
  minutes: Type.Integer(),
  rate: decimal(),
  project_id: nullable(uuid()),
  project_name: Type.String(),
  user_name: Type.String(),
});

/** Hours of a client that wait to be invoiced. */
export const UnbilledRead = answer("UnbilledRead", {
  entries: list(UnbilledEntry),
  total_count: Type.Integer(),
  total_minutes: Type.Integer(),
  total_amount: decimal(),
  hourly_rate: nullable(decimal()),
  truncated: flag(),
});

export const UNINVOICED_GROUPS = ["day", "week", "month", "year", "company", "project", "user"] as const;
export type UninvoicedGrouping = (typeof UNINVOICED_GROUPS)[number];

const UninvoicedGroup = answer("UninvoicedGroup", {
  key: Type.String(),
  label: nullable(Type.String()),
  count: Type.Integer(),
  minutes: Type.Integer(),
  amount: decimal(),
});

const UninvoicedReportEntry = answer("UninvoicedReportEntry", {
  id: uuid(),
  group_key: Type.String(),
  entry_date: date(),
  started_at: instant(),
  minutes: Type.Integer(),
  rate: decimal(),
  amount: decimal(),
  description: nullable(Type.String()),
  company_id: nullable(uuid()),
  company_name: nullable(Type.String()),
  project_id: nullable(uuid()),
  project_name: nullable(Type.String()),
  user_name: nullable(Type.String()),
});

/** Hours of all clients that wait to be invoiced. */
export const UninvoicedReport = answer("UninvoicedReport", {
  group: choice(UNINVOICED_GROUPS),
  groups: list(UninvoicedGroup),
  entries: list(UninvoicedReportEntry),
  total_count: Type.Integer(),
  total_minutes: Type.Integer(),
  total_amount: decimal(),
  truncated: flag(),
});

/** What is open, late and paid, in the organisation's currency. */
export const InvoicingSummary = answer("InvoicingSummary", {
  draft_count: Type.Integer(),
  open_count: Type.Integer(),
  open_total: Type.Number(),
  overdue_count: Type.Integer(),
  overdue_total: Type.Number(),
  paid_this_year: Type.Number(),
  quotes_open_count: Type.Integer(),
  quotes_open_total: Type.Number(),
  unconverted_count: Type.Integer({
    description:
      "Documents in another currency without an exchange rate, which count in no sum: open ones, those paid this year, open quotes",
  }),
});
