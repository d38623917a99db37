import { namedValues } from "../../../core/naming/named-values.ts";
import { answer, choice, date, decimal, field, flag, instant, list, nullable, Type, uuid } from "../../../core/schema/schema.ts";

const UnbilledEntry = answer("UnbilledEntry", {
  id: uuid(),
  description: nullable(Type.String({ description: "Description of the work; null without a text" })),
  started_at: field(instant(), "When the work began, UTC"),
  minutes: Type.Integer({ description: "Minutes worked, breaks left out" }),
  rate: decimal({
    description:
      "Price of an hour, with 2 decimals: the worker's rate, else the default of the people settings, else that of invoicing",
  }),
  project_id: field(nullable(uuid()), "Its project; null without one"),
  project_name: Type.String({ description: "That project's name; empty without one" }),
  user_name: Type.String({ description: "Who worked: full name, else e-mail address" }),
});

/** Uninvoiced hours of a client. */
export const UnbilledRead = answer("UnbilledRead", {
  entries: field(list(UnbilledEntry), "The oldest 500 hours, the oldest first"),
  total_count: Type.Integer({ description: "Number of time entries to invoice, including those not listed" }),
  total_minutes: Type.Integer({ description: "Sum of their minutes" }),
  total_amount: decimal({ description: "Their value in the organisation's currency, rounded once" }),
  hourly_rate: nullable(decimal({ description: "The default rate of the invoicing settings; null without one" })),
  truncated: field(flag(), "True when there are more than 500"),
});

export const UNINVOICED_GROUPS = namedValues("UninvoicedGrouping", [
  "day",
  "week",
  "month",
  "year",
  "company",
  "project",
  "user",
]);
export type UninvoicedGrouping = (typeof UNINVOICED_GROUPS)[number];

const UninvoicedGroup = answer("UninvoicedGroup", {
  key: Type.String({
    description:
      "`YYYY-MM-DD`, ISO week `YYYY-Www`, `YYYY-MM` or `YYYY` of the working day in the organisation's zone, or the id of client, project or person; empty for hours without one",
  }),
  label: nullable(
    Type.String({
      description: "Name of the client, project or person; null for days, weeks, months and years, and if there is none",
    }),
  ),
  count: Type.Integer({ description: "Number of time entries" }),
  minutes: Type.Integer({ description: "Sum of their minutes" }),
  amount: decimal({ description: "Their value, rounded once" }),
});

const UninvoicedReportEntry = answer("UninvoicedReportEntry", {
  id: uuid(),
  group_key: Type.String({ description: "`key` of its group" }),
  entry_date: field(date(), "The working day, in the organisation's zone"),
  started_at: field(instant(), "When the work began, UTC"),
  minutes: Type.Integer({ description: "Minutes worked, breaks left out" }),
  rate: decimal({
    description:
      "Price of an hour, with 2 decimals: the worker's rate, else the default of the people settings, else that of invoicing",
  }),
  amount: decimal({ description: "Minutes times rate, rounded" }),
  description: nullable(Type.String({ description: "Description of the work; null without a text" })),
  company_id: field(nullable(uuid()), "Its client; null without one"),
  company_name: nullable(Type.String({ description: "That client's name; null without one" })),
  project_id: field(nullable(uuid()), "Its project; null without one"),
  project_name: nullable(Type.String({ description: "That project's name; null without one" })),
  user_name: nullable(Type.String({ description: "Who worked: full name, else e-mail address; null if not known" })),
});

/** Uninvoiced hours of all clients. */
export const UninvoicedReport = answer("UninvoicedReport", {
  group: field(choice(UNINVOICED_GROUPS), "What the groups are formed by, as requested"),
  groups: field(list(UninvoicedGroup), "Totals by group over all hours, whatever the requested `limit`"),
  entries: field(list(UninvoicedReportEntry), "Hours in the order of their groups, then by time; at most `limit`"),
  total_count: Type.Integer({ description: "Number of time entries to invoice, including those not listed" }),
  total_minutes: Type.Integer({ description: "Sum of their minutes" }),
  total_amount: decimal({ description: "Their value in the organisation's currency, rounded once on the exact sum" }),
  truncated: field(flag(), "True when `entries` does not have all of them"),
});

/** Open, overdue and paid amounts, in the organisation's currency. */
export const InvoicingSummary = answer("InvoicingSummary", {
  draft_count: Type.Integer({ description: "Drafts of invoices and credit notes; 0 for client logins" }),
  open_count: Type.Integer({ description: "Open documents with something outstanding" }),
  open_total: Type.Number({ description: "Amount due on them" }),
  overdue_count: Type.Integer({ description: "Open documents past their due date in the organisation's zone" }),
  overdue_total: Type.Number({ description: "Amount due on the overdue ones" }),
  paid_this_year: Type.Number({ description: "Payments on documents that were settled in the organisation's current year" }),
  quotes_open_count: Type.Integer({ description: "Open quotes; 0 for a caller who cannot read quotes" }),
  quotes_open_total: Type.Number({ description: "Their totals including tax" }),
  unconverted_count: Type.Integer({
    description:
      "Documents in another currency without an exchange rate, which no sum includes: open ones, those paid this year, open quotes",
  }),
});
