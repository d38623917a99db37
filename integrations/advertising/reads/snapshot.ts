import { refusing } from "../../../mixins/google-ads/failure.ts";
import { idOf } from "./ads-row.ts";
import { campaigns } from "./declared/structure.ts";
import { amount, figuresOf, fraction, METRIC_FIELDS, sumsOf, whole } from "./figures.ts";
import { queryText, within } from "./query-text.ts";
import type { Ask, FoundRow } from "./read.ts";
import { answerOf, findRows, type OpenAccount } from "./reading.ts";

/** Figures of the whole account, including removed campaigns. @throws AdsFailure */
async function accountSummary(ask: Ask, from: string, to: string): Promise<Record<string, unknown>> {
  const query = queryText({
    from: "customer",
    select: ["customer.optimization_score", "customer.status", ...METRIC_FIELDS],
    where: [within(from, to)],
    limit: 1,
  });
  const [row] = await ask(query);
  return {
    ...figuresOf(sumsOf(row?.metrics)),
    optimization_score: fraction(row?.customer?.optimizationScore, 6),
    status: row?.customer?.status ?? null,
  };
}

/** The total daily budget of some campaigns, counting shared budgets once; null if none has a budget. */
function dailyBudget(campaigns: readonly FoundRow[]): number | null {
  const budgets = new Map(
    campaigns.flatMap(({ raw: { campaign, campaignBudget: budget } }) =>
      budget?.amountMicros === undefined
        ? []
        : [[budget.id === undefined ? `of ${idOf(campaign?.id)}` : idOf(budget.id), whole(budget.amountMicros)] as const],
    ),
  );
  return budgets.size === 0 ? null : amount(String(budgets.values().reduce((sum, micros) => sum + micros, 0n)));
}

/** An account's campaigns with the account's totals (marketing-ads §3.6). @throws ApiError */
export async function snapshotOf(open: OpenAccount) {
  const { date_from: from, date_to: to } = open.window.period;
  const [found, summary] = await Promise.all([findRows(campaigns, open, {}), refusing(() => accountSummary(open.ask, from, to))]);
  const shown = found.rows.slice(0, campaigns.ceiling);
  const enabled = shown.filter(({ row }) => row["status"] === "ENABLED");
  return {
    ...(await answerOf(campaigns, open, found, {})),
    account_summary: summary,
    campaign_count: shown.length,
    enabled_campaign_count: enabled.length,
    total_daily_budget: await refusing(async () => dailyBudget(enabled)),
  };
}
