import { internal } from "../../../core/declare/makers/internal.ts";
import { hangingOn, openWorkOf } from "../../../mixins/open-work.ts";
import { service } from "../../../mixins/resource.ts";

const STARRED = hangingOn(`select t.id, t.name as title, t.id as company_id from company_assignees a
  join companies t on t.organisation_id = a.organisation_id and t.id = a.company_id
  where a.organisation_id = $1 and a.account_id = $2 and a.is_primary`);

/** The clients of which a member is responsible. */
export default service("companies.openWork", {
  actions: {
    list: internal({
      summary: "The clients that hang on a member",
      permission: "companies.company.read",
      contributes: { openWork: true },
      handler: (ctx) => openWorkOf(ctx.params.user_id, { company: STARRED }),
    }),
  },
});
