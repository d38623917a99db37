import type { CustomValues } from "../../../core/custom-fields/values.ts";
import { column, tenantModel } from "../../../core/database/model.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";

const { boolean, date, decimal, json, text, uuid } = column;

export type ProjectStatus = "active" | "on_hold" | "completed" | "archived";
export type BudgetPeriod = "total" | "monthly" | "weekly" | "daily";

export const Project = tenantModel("projects", {
  company_id: uuid().orNull().tracked(),
  status: text<ProjectStatus>().withDefault().tracked(),
  unnamed: boolean().withDefault(),
  search_text: text().byDatabase(),
  name: text().tracked(),
  description: text().orNull(),
  billable_default: boolean().withDefault().tracked(),
  budget_period: text<BudgetPeriod>().withDefault().tracked(),
  budget_hours: decimal(12, 2).orNull().tracked(),
  budget_amount: decimal(14, 2).orNull().tracked(),
  currency: text().withDefault(),
  color: text().orNull().blankIsNull(),
  start_date: date().orNull().tracked(),
  end_date: date().orNull().tracked(),
  custom: json<CustomValues>().withDefault(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  projects_company_fkey: notFound,
  project_assignees_account_id_fkey: () => refusal("invalid_assignee"),
});
