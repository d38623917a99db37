import { internal } from "../../../core/declare/makers/internal.ts";
import { hangingOn, openWorkOf } from "../../../mixins/open-work.ts";
import { service } from "../../../mixins/resource.ts";

const STARRED = hangingOn(`select t.id, t.name as title, t.company_id from project_assignees a
  join projects t on t.organisation_id = a.organisation_id and t.id = a.project_id
  where a.organisation_id = $1 and a.account_id = $2 and a.is_primary`);

/** The projects of which a member is responsible. */
export default service("projects.openWork", {
  actions: {
    list: internal({
      summary: "The projects that hang on a member",
      permission: "projects.project.read",
      contributes: { openWork: true },
      handler: (ctx) => openWorkOf(ctx.params.user_id, { project: STARRED }),
    }),
  },
});
