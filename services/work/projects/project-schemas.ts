import {
  answer,
  choice,
  date,
  flag,
  input,
  instant,
  json,
  label,
  line,
  list,
  multiline,
  neverNull,
  nullable,
  optional,
  optionalAll,
  type TProperties,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";
import { AssigneeRead, AssigneeWrite } from "../../../core/values/roster-schemas.ts";

export const PROJECT_STATUSES = ["active", "on_hold", "completed", "archived"] as const;
export const BUDGET_PERIODS = ["total", "monthly", "weekly", "daily"] as const;

const status = (options: Record<string, unknown> = {}) => choice(PROJECT_STATUSES, { $id: "ProjectStatus", ...options });
const currency = (options: Record<string, unknown> = {}) => line({ minLength: 3, maxLength: 3, ...options });
/** What the columns hold (numeric(12,2), numeric(14,2)); more decimals are rounded to 2. */
const budgetHours = () => Type.Number({ minimum: 0, maximum: 9_999_999_999.99 });
const budgetAmount = () => Type.Number({ minimum: 0, maximum: 999_999_999_999.99 });

/** What may be empty. */
const details = {
  description: nullable(multiline()),
  budget_hours: nullable(budgetHours()),
  budget_amount: nullable(budgetAmount()),
  color: nullable(text(20)),
  start_date: nullable(date()),
  end_date: nullable(date()),
} satisfies TProperties;

const written = {
  ...details,
  responsible_user_id: nullable(uuid()),
  assignees: nullable(list(AssigneeWrite)),
} satisfies TProperties;

export const ProjectCreate = input("ProjectCreate", {
  name: label(255),
  company_id: uuid(),
  ...optionalAll(written),
  status: optional(status({ default: "active" })),
  billable_default: optional(flag(true)),
  budget_period: optional(choice(BUDGET_PERIODS, { default: "total" })),
  currency: optional(currency({ default: "EUR" })),
  unnamed: optional(nullable(flag())),
  custom: optional(json({ default: {} })),
});

export const ProjectUpdate = input("ProjectUpdate", {
  name: optional(neverNull(nullable(label(255)))),
  // Null is refused with a key of its own (work chapter §2.1).
  company_id: optional(nullable(uuid())),
  ...optionalAll(written),
  status: optional(neverNull(nullable(choice(PROJECT_STATUSES)))),
  billable_default: optional(neverNull(nullable(flag()))),
  budget_period: optional(neverNull(nullable(choice(BUDGET_PERIODS)))),
  currency: optional(neverNull(nullable(currency()))),
  custom: optional(nullable(json())),
});

const BudgetHours = answer("BudgetHours", {
  period: Type.String(),
  period_start: nullable(date()),
  budget_hours: nullable(Type.Number()),
  spent_hours: Type.Number({ default: 0 }),
  billable_hours: Type.Number({ default: 0 }),
  unapproved_hours: Type.Number({ default: 0 }),
  remaining_hours: nullable(Type.Number()),
});

const ProjectHoursSource = answer("ProjectHoursSource", {
  subscription_id: uuid(),
  name: Type.String(),
  included_hours: Type.Number(),
  monthly_hours: Type.Number(),
});

export const ProjectRead = answer("ProjectRead", {
  id: uuid(),
  org_id: uuid(),
  name: label(255),
  company_id: nullable(uuid()),
  company_name: nullable(Type.String()),
  status: status(),
  unnamed: flag(false),
  ...details,
  billable_default: flag(true),
  budget_period: choice(BUDGET_PERIODS, { default: "total" }),
  currency: currency({ default: "EUR" }),
  responsible_user_id: nullable(uuid()),
  assignees: list(AssigneeRead),
  custom: json(),
  hours: nullable(BudgetHours),
  budget_sources: list(ProjectHoursSource),
  created_at: instant(),
  updated_at: instant(),
});

export const DashboardBudgetProject = answer("DashboardBudgetProject", {
  id: uuid(),
  name: Type.String(),
  company_name: nullable(Type.String()),
  hours: BudgetHours,
});
