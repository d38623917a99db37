import { query } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { BudgetMoment } from "../../policy/budget-base.ts";

const RECENT = "created_at > statement_timestamp() - interval '24 hours' as is_recent";
const MOMENTS = statement(`select is_recent, before, after from (
    select created_at, id, ${RECENT}, planned -> 0 -> 'before' ->> 'amountMicros' as before,
      case when state = 'applied' then planned -> 0 -> 'operation' -> 'update' ->> 'amountMicros' end as after
    from ads_intents where organisation_id = $1 and account_id = $2
      and planned -> 0 -> 'operation' -> 'update' ->> 'resourceName' = $3 and planned -> 0 -> 'before' is not null
    union all
    select created_at, id, ${RECENT}, null, planned -> 0 -> 'operation' -> 'create' ->> 'amountMicros'
    from ads_intents where organisation_id = $1 and account_id = $2 and operation = 'budgets.create' and state = 'applied'
      and outcome -> 0 ->> 'resource_name' = $3) m
  order by created_at, id`);

/** What our writes know of a budget, oldest first. @param name its resource name */
export const budgetMoments = (accountId: string, name: string): Promise<BudgetMoment[]> =>
  query<BudgetMoment>(MOMENTS, [request().organisation.id, accountId, name]);
