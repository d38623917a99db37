import { answer, date, list, nextCursorField, nullable, Type, uuid } from "../../../../core/schema/schema.ts";
import { TimeEntryRead } from "../entries/entry-schemas.ts";

const ReportTotals = answer(
  "ReportTotals",
  {
    count: Type.Integer(),
    minutes: Type.Integer(),
    billable_minutes: Type.Integer(),
    approved_minutes: Type.Integer(),
    open_minutes: Type.Integer(),
    to_invoice_minutes: Type.Integer(),
    invoiced_minutes: Type.Integer(),
  },
  {
    count: "Number of entries",
    minutes: "Minutes worked",
    billable_minutes: "Minutes of billable entries",
    approved_minutes: "Minutes of approved entries",
    open_minutes: "Minutes of entries that are not approved",
    to_invoice_minutes: "Minutes of entries that are approved and billable, and not invoiced",
    invoiced_minutes: "Minutes of entries marked as invoiced",
  },
);

export const TimeReport = answer(
  "TimeReport",
  {
    items: list(TimeEntryRead),
    total: Type.Integer(),
    limit: Type.Integer(),
    offset: Type.Integer(),
    next_cursor: nextCursorField(),
    totals: ReportTotals,
  },
  {
    items: "The entries of this page, in the order of `sort`",
    total: "Number of entries on all pages; with `count=false` the number on this page",
    limit: "Largest number of entries on a page, as requested",
    offset: "Number of entries before this page, as requested",
    totals: "Sums over all entries that match the filters, on every page",
  },
);

const ProductivityRow = answer(
  "ProductivityRow",
  {
    user_id: uuid(),
    minutes: Type.Integer(),
    billable_minutes: Type.Integer(),
    approved_minutes: Type.Integer(),
    entry_count: Type.Integer(),
    active_days: Type.Integer(),
  },
  {
    minutes: "Minutes of finished entries",
    billable_minutes: "The part of `minutes` that is billable",
    approved_minutes: "The part of `minutes` that is approved",
    entry_count: "Number of entries",
    active_days: "Number of days with an entry",
  },
);
export const ProductivityStats = answer(
  "ProductivityStats",
  { date_from: date(), date_to: date(), rows: list(ProductivityRow) },
  { date_from: "First day", date_to: "Last day", rows: "One row for each person with entries, most minutes first" },
);

export const TeamTimeSummary = answer(
  "TeamTimeSummary",
  {
    date_from: date(),
    date_to: date(),
    minutes: Type.Integer(),
    billable_minutes: Type.Integer(),
    open_minutes: Type.Integer(),
    revenue: Type.Number(),
  },
  {
    date_from: "First day",
    date_to: "Last day",
    minutes: "Minutes of finished entries",
    billable_minutes: "The part of `minutes` that is billable",
    open_minutes: "The part of `minutes` that is not approved",
    revenue:
      "Value of the billable minutes at the hourly rate of each person, in the organisation's currency. Hours of people without a rate are left out",
  },
);

const ClientRevenue = answer(
  "ClientRevenue",
  { company_id: nullable(uuid()), revenue: Type.Number() },
  {
    company_id: "The client; null for entries without one",
    revenue: "Value of its billable minutes in the year, in the organisation's currency",
  },
);
export const RevenueStats = answer(
  "RevenueStats",
  {
    year: Type.Integer(),
    months_current: list(Type.Number()),
    months_previous: list(Type.Number()),
    total_current: Type.Number(),
    total_previous: Type.Number(),
    top_clients: list(ClientRevenue),
    other_revenue: Type.Number(),
    rounding: Type.Number(),
  },
  {
    year: "The calendar year",
    months_current:
      "Value of the billable minutes by month of the year, January first, in the organisation's currency. Hours of people without a rate are left out",
    months_previous: "The same by month of the year before",
    total_current: "Sum of `months_current`",
    total_previous: "Sum of `months_previous`",
    top_clients: "The 10 clients with the highest value in the year",
    other_revenue: "Value of all other clients in the year, with what rounding by month and by client leaves over",
    rounding: "What rounding leaves over when there are no other clients: `total_current` less `top_clients`; may be negative",
  },
);

export const ProjectCost = answer(
  "ProjectCost",
  {
    project_id: uuid(),
    cost: Type.Number(),
    billable_amount: Type.Number(),
    unrated_minutes: Type.Integer(),
  },
  {
    cost: "Finished minutes of the project at the hourly rate of each person, in the organisation's currency",
    billable_amount: "The part of `cost` that is billable",
    unrated_minutes: "Minutes of people without a rate, which `cost` does not contain",
  },
);
