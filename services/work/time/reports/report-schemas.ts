import { answer, date, list, nullable, Type, uuid } from "../../../../core/declare/schema.ts";
import { TimeEntryRead } from "../entries/entry-schemas.ts";

const ReportTotals = answer("ReportTotals", {
  count: Type.Integer(),
  minutes: Type.Integer(),
  billable_minutes: Type.Integer(),
  approved_minutes: Type.Integer(),
  open_minutes: Type.Integer(),
  to_invoice_minutes: Type.Integer(),
  invoiced_minutes: Type.Integer(),
});

export const TimeReport = answer("TimeReport", {
  items: list(TimeEntryRead),
  total: Type.Integer(),
  limit: Type.Integer(),
  offset: Type.Integer(),
  totals: ReportTotals,
});

const ProductivityRow = answer("ProductivityRow", {
  user_id: uuid(),
  minutes: Type.Integer(),
  billable_minutes: Type.Integer(),
  approved_minutes: Type.Integer(),
  entry_count: Type.Integer(),
  active_days: Type.Integer(),
});
export const ProductivityStats = answer("ProductivityStats", { date_from: date(), date_to: date(), rows: list(ProductivityRow) });

export const TeamTimeSummary = answer("TeamTimeSummary", {
  date_from: date(),
  date_to: date(),
  minutes: Type.Integer(),
  billable_minutes: Type.Integer(),
  open_minutes: Type.Integer(),
  revenue: Type.Number(),
});

const ClientRevenue = answer("ClientRevenue", { company_id: nullable(uuid()), revenue: Type.Number() });
export const RevenueStats = answer("RevenueStats", {
  year: Type.Integer(),
  months_current: list(Type.Number()),
  months_previous: list(Type.Number()),
  total_current: Type.Number(),
  total_previous: Type.Number(),
  top_clients: list(ClientRevenue),
  other_revenue: Type.Number(),
});

export const ProjectCost = answer("ProjectCost", {
  project_id: uuid(),
  cost: Type.Number(),
  billable_amount: Type.Number(),
  unrated_minutes: Type.Integer(),
});
