import { action } from "../../../../core/declare/action.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { adsAccess } from "../../../../mixins/google-ads/transport.ts";
import { service } from "../../../../mixins/resource.ts";
import { inBudgetTurn } from "../gate/budget-turn.ts";
import { currentBudget } from "../gate/current.ts";
import { openAccount, send, type Written } from "../gate/gate.ts";
import { recorded } from "../gate/recorded.ts";
import { sentAmount } from "../requests/amounts.ts";
import { budgetCreate, budgetRemove, budgetUpdate, requireBudgetChange } from "../requests/campaign-requests.ts";
import { ONCE, WRITES, writeErrors } from "./write-action.ts";
import { AdsBudgetCreate, AdsBudgetUpdate, digits, removeQuery } from "./write-schemas.ts";

const permission = "ads_platform.budget.write";
const OF_BUDGET = { resource: "campaign_budget", collection: "campaignBudgets" } as const;
const path = { budget_id: digits("The budget's id at the provider") };

/** Budgets of an advertising account (marketing-ads §3.10). */
export default service("ads.budgets", {
  actions: {
    create: action({
      rest: "POST /ads-platform/accounts/:account_id/budgets",
      summary: "Create a daily budget",
      description: `Not spent until a campaign uses it. ${ONCE}`,
      permission,
      body: AdsBudgetCreate,
      ...WRITES,
      errors: writeErrors(
        "ads_platform_budget_needs_ceiling",
        "ads_platform_budget_negative",
        "ads_platform_budget_over_ceiling",
      ),
      async prepare(ctx): Promise<Written> {
        const { name, shared = false, validate_only: validateOnly = false } = ctx.params.body;
        const amount = Number(ctx.params.body.amount);
        const opened = await openAccount(ctx.params.account_id);
        const planned = [budgetCreate({ name, amount, shared })];
        return send({ ...OF_BUDGET, operation: "budgets.create", activity: "ads.budget_created", planned, validateOnly }, opened);
      },
      handler: () => recorded(),
    }),

    update: action({
      rest: "PATCH /ads-platform/accounts/:account_id/budgets/:budget_id",
      summary: "Change a daily budget",
      description: `Reads the current budget first; the policy limits how far it can be raised above its amount of 24 hours ago. Two changes of one budget run one after the other. ${ONCE}`,
      permission,
      path,
      body: AdsBudgetUpdate,
      ...WRITES,
      errors: writeErrors(
        "ads_platform_budget_increase_too_large",
        "ads_platform_budget_needs_ceiling",
        "ads_platform_budget_negative",
        "ads_platform_budget_over_ceiling",
        "conflict",
      ),
      async prepare(ctx): Promise<Written> {
        const { account_id, budget_id, body } = ctx.params;
        const { validate_only: validateOnly = false, name } = body;
        const change = { name, amount: sentAmount(body.amount) };
        const opened = await openAccount(account_id);
        const { account } = opened;
        requireBudgetChange(change);
        return inBudgetTurn(account.id, budget_id, async () => {
          const access = await adsAccess(account);
          const now = await currentBudget(access, budget_id);
          if (!now) throw notFound();
          const one = budgetUpdate(account.customer_id, budget_id, change, now);
          const warnings = now.referenceCount > 1 ? ["ads.warning.shared_budget"] : [];
          const budget = { resourceName: String(one.operation.update?.["resourceName"]), amountMicros: now.amountMicros };
          const write = { ...OF_BUDGET, operation: "budgets.update", activity: "ads.budget_changed", validateOnly };
          return send({ ...write, planned: [one], warnings, budget }, opened, access);
        });
      },
      handler: () => recorded(),
    }),

    remove: action({
      rest: "DELETE /ads-platform/accounts/:account_id/budgets/:budget_id",
      summary: "Remove a daily budget permanently",
      description: `The provider refuses it while a campaign spends it. ${ONCE}`,
      permission,
      path,
      query: removeQuery,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { account_id, budget_id, validate_only: validateOnly = false } = ctx.params;
        const opened = await openAccount(account_id);
        const planned = [budgetRemove(opened.account.customer_id, budget_id)];
        return send({ ...OF_BUDGET, operation: "budgets.remove", activity: "ads.budget_removed", planned, validateOnly }, opened);
      },
      handler: () => recorded(),
    }),
  },
});
