import { namedValues } from "../../../core/naming/named-values.ts";
import { AssigneeRead, AssigneeWrite } from "../../../core/rules/roster-schemas.ts";
import {
  answer,
  choice,
  date,
  flag,
  input,
  instant,
  json,
  line,
  list,
  multiline,
  neverNull,
  nonEmpty,
  nullable,
  optional,
  optionalAll,
  type TProperties,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

const PROJECT = {
  name: "Name of the project",
  company_id: "The client. A new project needs one, and no change clears it; only older projects have null",
  status: "`active`, `on_hold`, `completed` or `archived`; any may follow any other",
  description: "Description in markdown; null if none. The service removes HTML when it stores it",
  budget_hours:
    "Own budget in hours per `budget_period`; null if none. While active agreements with included hours determine the budget, changing it answers 409",
  budget_amount: "Budget in money, in `currency`; null if none",
  color: "Colour of the project in the application; null if none",
  start_date: "First day; null if open",
  end_date: "Last day, not before `start_date`; null if open",
  responsible_user_id:
    "The starred person of the roster; null without one. Sent alone on a change it moves the star and keeps the other assignees; `assignees` overrides it",
  assignees:
    "Roster of the project, the starred person first. A sent roster replaces the stored one, and `[]` empties it. A new project without it gets the client's starred person",
  billable_default:
    "Whether time entries on the project are billable if they do not say so themselves. Linking an agreement sets it to false once",
  budget_period:
    "Period that `budget_hours` is for; each period begins on the organisation's calendar: the day, Monday, or the first of the month",
  currency: "Currency of `budget_amount`, ISO 4217",
  unnamed: "Whether the name is a placeholder. The first change of the name clears it",
  hours: "Hours against the budget, filled by `hours=true` for callers with `time.entry.read`; null otherwise",
  budget_sources: "Agreements that determine the budget, by name. Set when one project is read or changed, and with `hours`",
};

export const PROJECT_STATUSES = namedValues("ProjectStatus", ["active", "on_hold", "completed", "archived"]);
export const BUDGET_PERIODS = namedValues("BudgetPeriod", ["total", "monthly", "weekly", "daily"]);

const status = (options: Record<string, unknown> = {}) => choice(PROJECT_STATUSES, options);
const currency = (options: Record<string, unknown> = {}) => line({ minLength: 3, maxLength: 3, ...options });
/** The ranges of the columns (numeric(12,2), numeric(14,2)); more decimals are rounded to 2. */
const budgetHours = () => Type.Number({ minimum: 0, maximum: 9_999_999_999.99 });
const budgetAmount = () => Type.Number({ minimum: 0, maximum: 999_999_999_999.99 });

/** Nullable fields. */
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

export const ProjectCreate = input(
  "ProjectCreate",
  {
    name: nonEmpty(255),
    company_id: uuid(),
    ...optionalAll(written),
    status: optional(status({ default: "active" })),
    billable_default: optional(flag(true)),
    budget_period: optional(choice(BUDGET_PERIODS, { default: "total" })),
    currency: optional(currency({ default: "EUR" })),
    unnamed: optional(nullable(flag())),
    custom: optional(json({ default: {} })),
  },
  PROJECT,
);

export const ProjectUpdate = input(
  "ProjectUpdate",
  {
    name: optional(neverNull(nullable(nonEmpty(255)))),
    // Null gets its own error key (work chapter §2.1).
    company_id: optional(nullable(uuid())),
    ...optionalAll(written),
    status: optional(neverNull(nullable(choice(PROJECT_STATUSES)))),
    billable_default: optional(neverNull(nullable(flag()))),
    budget_period: optional(neverNull(nullable(choice(BUDGET_PERIODS)))),
    currency: optional(neverNull(nullable(currency()))),
    custom: optional(nullable(json())),
  },
  PROJECT,
);

const BudgetHours = answer(
  "BudgetHours",
  {
    period: Type.String(),
    period_start: nullable(date()),
    budget_hours: nullable(Type.Number()),
    spent_hours: Type.Number({ default: 0 }),
    billable_hours: Type.Number({ default: 0 }),
    unapproved_hours: Type.Number({ default: 0 }),
    remaining_hours: nullable(Type.Number()),
  },
  {
    period: "Period of the budget: `total`, `monthly`, `weekly` or `daily`; `monthly` if agreements determine the budget",
    period_start: "First day of the current period in the organisation's zone; null for `total`",
    budget_hours:
      "Hours of one period: from linked active agreements with included hours, else the project's own; null without a budget",
    spent_hours: "Hours of finished entries in the period, billable or not. Running timers and leave do not count",
    billable_hours: "The part of `spent_hours` that is billable",
    unapproved_hours: "The part of `spent_hours` that is not approved",
    remaining_hours: "`budget_hours` less `spent_hours`; negative when the budget is exceeded, null without one",
  },
);

const ProjectHoursSource = answer(
  "ProjectHoursSource",
  {
    subscription_id: uuid(),
    name: Type.String(),
    included_hours: Type.Number(),
    monthly_hours: Type.Number(),
  },
  {
    subscription_id: "The agreement",
    name: "Name of the agreement",
    included_hours: "Hours included in one interval of the agreement",
    monthly_hours: "Included hours per month: `included_hours` divided by the months of an interval, with 2 decimals",
  },
);

export const ProjectRead = answer(
  "ProjectRead",
  {
    id: uuid(),
    org_id: uuid(),
    name: nonEmpty(255),
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
  },
  PROJECT,
);

export const DashboardBudgetProject = answer(
  "DashboardBudgetProject",
  {
    id: uuid(),
    name: Type.String(),
    company_name: nullable(Type.String()),
    hours: BudgetHours,
  },
  { name: "Name of the project", hours: "Budget and hours of the current period" },
);
