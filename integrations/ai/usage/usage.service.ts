import { queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { THIS_MONTH } from "./metering.ts";
import { AIUsageSummary } from "./usage-schemas.ts";

// A feature metered only in seconds of speech has no chat requests.
const SUMMARY = statement(`select to_char(${THIS_MONTH}, 'YYYY-MM') as month,
    coalesce(sum(u.tokens_in + u.tokens_out), 0)::float8 as tokens_total,
    (select s.monthly_token_budget from ai_settings s where s.organisation_id = $1) as budget,
    coalesce(json_agg(json_build_object('feature', u.feature, 'tokens_in', u.tokens_in, 'tokens_out', u.tokens_out,
      'requests', u.requests) order by u.feature collate "C") filter (where u.requests > 0), '[]') as features
  from ai_usage u where u.organisation_id = $1 and u.month = ${THIS_MONTH}`);

export default service("ai.usage", {
  actions: {
    get: action({
      rest: "GET /ai/usage",
      summary: "Read the tokens that models used this month (UTC), by feature",
      permission: "ai.settings.manage",
      returns: AIUsageSummary,
      handler: async () => (await queryOne<Static<typeof AIUsageSummary>>(SUMMARY, [request().organisation.id])) ?? null,
    }),
  },
});
