import { internal } from "../../../core/declare/makers/internal.ts";
import { hangingOn, openWorkOf } from "../../../mixins/open-work.ts";
import { service } from "../../../mixins/resource.ts";
import { namesPerson } from "./named-people.ts";

const RULES = hangingOn(`select t.id, t.name as title, null::uuid as company_id from automation_rules t
  where t.organisation_id = $1 and ${namesPerson("$2::uuid")}`);

/** The rules that name a member in one of their actions. */
export default service("automation.openWork", {
  actions: {
    list: internal({
      summary: "The rules that hang on a member",
      permission: "automation.rule.read",
      contributes: { openWork: true },
      handler: (ctx) => openWorkOf(ctx.params.user_id, { rule: RULES }),
    }),
  },
});
