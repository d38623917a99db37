import { addDays, earlier, later } from "../../../../core/calendar/calendar.ts";
import { type AdsRow, type ImpactMetrics, idOf } from "../ads-row.ts";
import { amount, exact, fraction, type Int64, rounded, whole } from "../figures.ts";
import { duringDays, isFalse, isNot, queryText, within } from "../query-text.ts";
import type { ReadDeclaration } from "../read.ts";
import { changedFields, changedName } from "./changed-fields.ts";

const days = (value: Int64): number | null => (value === undefined ? null : Number(whole(value)));

const CONVERSIONS = 200;

export const conversions: ReadDeclaration = {
  path: "conversions",
  summary: "Read the conversion actions of an account",
  description:
    "Live from the provider: how conversions are counted, with what each action has brought in the period. The action with the most conversions comes first.",
  takes: ["period"],
  ceiling: CONVERSIONS,
  searched: ["name"],
  hasTotals: false,
  warnings: ["ads.warning.conversions_are_configuration"],
  async find(ask, { from, to }) {
    const query = queryText({
      from: "conversion_action",
      select: [
        "conversion_action.id",
        "conversion_action.name",
        "conversion_action.status",
        "conversion_action.type",
        "conversion_action.category",
        "conversion_action.origin",
        "conversion_action.primary_for_goal",
        "conversion_action.counting_type",
        "conversion_action.click_through_lookback_window_days",
        "conversion_action.view_through_lookback_window_days",
        "conversion_action.attribution_model_settings.attribution_model",
        "conversion_action.include_in_conversions_metric",
        "metrics.all_conversions",
        "metrics.all_conversions_value",
      ],
      where: [within(from, to), isNot("conversion_action.status", "REMOVED")],
      orderBy: "metrics.all_conversions DESC",
      limit: CONVERSIONS + 1,
    });
    const rows = await ask(query);
    return { rows: rows.map((raw) => ({ raw, row: conversionOf(raw), sums: null })) };
  },
};

const conversionOf = ({ conversionAction: action = {}, metrics }: AdsRow) => ({
  conversion_action_id: idOf(action.id),
  name: action.name ?? "",
  status: action.status ?? null,
  type: action.type ?? null,
  category: action.category ?? null,
  origin: action.origin ?? null,
  primary_for_goal: action.primaryForGoal ?? false,
  counting_type: action.countingType ?? null,
  click_through_lookback_days: days(action.clickThroughLookbackWindowDays),
  view_through_lookback_days: days(action.viewThroughLookbackWindowDays),
  attribution_model: action.attributionModelSettings?.attributionModel ?? null,
  counts_toward_conversions: action.includeInConversionsMetric ?? false,
  all_conversions: rounded(exact(metrics?.allConversions), 2),
  all_conversions_value: rounded(exact(metrics?.allConversionsValue), 2),
});

const CHANGES = 500;
/** Days of the provider's change history, including today. */
const HISTORY = 30;

export const changes: ReadDeclaration = {
  path: "changes",
  summary: "Read who changed what in an account",
  description:
    "Live from the provider, newest first. The provider keeps 30 days: an earlier start moves to the first of them, and a period wholly before them makes no call. `extra.effective_period` is the period read. Changes by the provider's own automation are not included. `changed_name` is null where the provider's entry has no name.",
  takes: ["period"],
  ceiling: CHANGES,
  searched: ["changed_by", "changed_resource"],
  hasTotals: false,
  warnings: ["ads.warning.changes_exclude_automation"],
  async find(ask, { from, to, today, utcToday }) {
    const start = later(from, addDays(utcToday, 1 - HISTORY));
    const end = earlier(to, later(today, utcToday));
    const warnings = start === from ? [] : ["ads.warning.changes_window_shortened"];
    if (end < start) return { rows: [], warnings, extra: { effective_period: null, change_event_window_days: HISTORY } };
    const at = "change_event.change_date_time";
    const query = queryText({
      from: "change_event",
      select: [
        at,
        "change_event.change_resource_type",
        "change_event.change_resource_name",
        "change_event.resource_change_operation",
        "change_event.campaign",
        "change_event.ad_group",
        "change_event.user_email",
        "change_event.client_type",
        "change_event.changed_fields",
        "change_event.old_resource",
        "change_event.new_resource",
      ],
      where: duringDays(at, start, end),
      orderBy: `${at} DESC`,
      limit: CHANGES + 1,
    });
    const rows = await ask(query);
    return {
      rows: rows.map((raw) => ({ raw, row: changeOf(raw), sums: null })),
      warnings,
      extra: { effective_period: { from: start, to: end }, change_event_window_days: HISTORY },
    };
  },
};

const changeOf = ({ changeEvent: change = {} }: AdsRow) => ({
  changed_at: change.changeDateTime ?? null,
  resource_type: change.changeResourceType ?? null,
  operation: change.resourceChangeOperation ?? null,
  changed_resource: change.changeResourceName ?? null,
  changed_name: changedName(change.oldResource, change.newResource),
  campaign: change.campaign || null,
  ad_group: change.adGroup || null,
  changed_by: change.userEmail || null,
  client_type: change.clientType ?? null,
  changed_fields: changedFields(change.changedFields, change.oldResource, change.newResource),
});

const RECOMMENDATIONS = 200;

export const recommendations: ReadDeclaration = {
  path: "recommendations",
  summary: "Read the provider's recommendations for an account",
  description:
    "Live from the provider, without dismissed ones. `campaign` and `ad_group` are the provider's resource names; a recommendation for several campaigns lists all of them.",
  takes: [],
  ceiling: RECOMMENDATIONS,
  searched: ["campaign", "ad_group"],
  hasTotals: false,
  async find(ask) {
    const query = queryText({
      from: "recommendation",
      select: [
        "recommendation.resource_name",
        "recommendation.type",
        "recommendation.campaign",
        "recommendation.campaigns",
        "recommendation.ad_group",
        "recommendation.impact",
      ],
      where: [isFalse("recommendation.dismissed")],
      limit: RECOMMENDATIONS + 1,
    });
    const rows = await ask(query);
    return { rows: rows.map((raw) => ({ raw, row: recommendationOf(raw), sums: null })) };
  },
};

const impactOf = (metrics: ImpactMetrics | undefined) =>
  metrics
    ? {
        impressions: fraction(metrics.impressions ?? 0, 2),
        clicks: fraction(metrics.clicks ?? 0, 2),
        cost: amount(metrics.costMicros ?? 0),
        conversions: fraction(metrics.conversions ?? 0, 2),
      }
    : null;

const recommendationOf = ({ recommendation: one = {} }: AdsRow) => ({
  type: one.type ?? null,
  resource_name: one.resourceName ?? null,
  campaign: one.campaign || one.campaigns?.join(", ") || null,
  ad_group: one.adGroup || null,
  base: impactOf(one.impact?.baseMetrics),
  potential: impactOf(one.impact?.potentialMetrics),
});
