import { column, model, type RowOf, tenantModel } from "../../../core/database/model.ts";
import { conflict, notFound } from "../../../core/errors/errors.ts";
import { badRequest, unknownPreset, unknownType } from "../refusals.ts";
import type { AutoInvoiceMode, Labels } from "../settings/models.ts";

const { boolean, date, decimal, instant, integer, json, text, uuid } = column;

export type Interval = "monthly" | "quarterly" | "yearly";
export type SubscriptionStatus = "draft" | "active" | "paused" | "cancelled";

/** How unused included hours carry over. */
export interface Rollover {
  mode: "none" | "carry";
  expires_after_periods: number | null;
}

/** A line of an agreement, at its own price; amounts are decimal text. */
export interface AgreementLine {
  description: string;
  quantity: string;
  unit_amount: string;
}

/** Fields that agreements and their presets share. */
const terms = {
  currency: text().withDefault().tracked(),
  interval: text<Interval>().withDefault().tracked(),
  interval_count: integer().withDefault().tracked(),
  included_hours: decimal(10, 2).orNull().tracked(),
  rollover: json<Rollover>().withDefault(),
  notice_period_days: integer().orNull().tracked(),
  subscription_type_id: uuid().orNull().tracked(),
  lines: json<readonly AgreementLine[]>().withDefault(),
};

const unknownLink = () => badRequest({ links: "errors.not_found" });

/** A recurring agreement (money §9). */
export const Subscription = tenantModel("subscriptions", {
  ...terms,
  company_id: uuid().tracked(),
  name: text().tracked(),
  search_text: text().byDatabase(),
  status: text<SubscriptionStatus>().withDefault().tracked(),
  start_date: date().tracked(),
  end_date: date().orNull().tracked(),
  next_invoice_date: date().orNull().tracked(),
  /** The last boundary of a cycle that has ended; null while there is a next one. */
  last_boundary: date().orNull(),
  anchor: text<"month_end">().orNull().tracked(),
  auto_invoice_mode: text<AutoInvoiceMode>().orNull().tracked(),
  subscription_template_id: uuid().orNull().tracked(),
  notes: text().orNull().blankIsNull(),
  custom: json().withDefault(),
  activated_at: instant().orNull(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  subscriptions_company_fkey: notFound,
  subscriptions_type_fkey: unknownType,
  subscriptions_template_fkey: unknownPreset,
  subscription_projects_project_fkey: unknownLink,
  subscription_tasks_task_fkey: unknownLink,
});
export type SubscriptionRow = RowOf<typeof Subscription>;

export const SubscriptionType = tenantModel("subscription_types", {
  key: text(),
  label_i18n: json<Labels>().withDefault(),
  position: integer().withDefault(),
  active: boolean().withDefault(),
}).whenViolated({
  subscription_types_key_key: () => conflict("errors.conflict", "key"),
  subscription_type_task_templates_template_fkey: () => badRequest({ task_template_ids: "errors.not_found" }),
});

/** A preset for new agreements. */
export const SubscriptionTemplate = tenantModel("subscription_templates", {
  ...terms,
  name: text(),
  amount: decimal(12, 2).withDefault(),
  /** The amount before the increase of the day `increased_on`, unless another amount was set since. */
  increased_from: decimal(12, 2).orNull(),
  increased_on: date().orNull(),
  active: boolean().withDefault(),
  position: integer().withDefault(),
}).whenViolated({
  subscription_templates_type_fkey: unknownType,
});

/** A price of an agreement from a day onward. */
export const SubscriptionPrice = model("subscription_prices", {
  organisation_id: uuid().byPlatform(),
  subscription_id: uuid(),
  valid_from: date(),
  amount: decimal(12, 2),
  /** The amount that an increase from this day started from; null where the price was set. */
  increased_from: decimal(12, 2).orNull(),
  created_at: instant().withDefault(),
  updated_at: instant().withDefault(),
});
