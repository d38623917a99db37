import { differences, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { ReportProfile } from "../models.ts";
import { profileForWrite, shownProfile, UNSAVED_VERSION } from "./profile-rows.ts";
import { ReportProfileRead, ReportProfileWrite } from "./profile-schemas.ts";
import { profileValues, requireNamed } from "./profile-values.ts";

const KIND = "report_profile";
const MANAGE = "reporting.profile.manage";

/** The report settings of each client (workspace-reporting §1.4). */
export default resource("reporting.profiles", {
  model: ReportProfile,
  actions: {
    get: action({
      rest: "GET /reporting/companies/:company_id/profile",
      summary: "Read a client's report profile",
      description: "A client without a saved profile has an id of zeros and the inherited values.",
      permission: MANAGE,
      returns: ReportProfileRead,
      handler: (ctx) => shownProfile(ctx.params.company_id),
    }),

    replace: action({
      rest: "PUT /reporting/companies/:company_id/profile",
      summary: "Replace a client's report profile",
      description:
        "Omitted fields get their defaults. Once a profile is saved, the schedule creates the client's reports, unless `active` is false.",
      permission: MANAGE,
      body: ReportProfileWrite,
      returns: ReportProfileRead,
      errors: ["not_found"],
      async handler(ctx) {
        const { company_id, body } = ctx.params;
        const values = profileValues(body);
        const row = await profileForWrite(company_id);
        requireMatch(row?.version ?? UNSAVED_VERSION);
        await requireNamed(company_id, values);
        if (row) {
          const changed = differences(row, values);
          if (changed) {
            queueUpdate(ReportProfile, row.id, changed);
            trail(KIND, row.id, "updated", { changes: changesOf(ReportProfile.tracked, row, changed) });
          }
        } else {
          // Of two concurrent first writes, the later one reruns and finds the earlier one's row.
          request().retryableConstraints.add("report_profiles_one");
          trail(KIND, queueInsert(ReportProfile, { ...values, company_id }), "created");
        }
        return shownProfile(company_id);
      },
    }),
  },
});
