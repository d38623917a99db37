import { clearOld } from "../../../../core/clearing/clear.ts";
import { enqueue, queryOne } from "../../../../core/database/query.ts";
import { withoutNulls } from "../../../../core/database/write.ts";
import { action } from "../../../../core/declare/action.ts";
import { requireMatch } from "../../../../core/http/etag.ts";
import { request } from "../../../../core/request/context.ts";
import { date, type Static } from "../../../../core/schema/schema.ts";
import { JsonText } from "../../../../core/sql/json-text.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { service } from "../../../../mixins/resource.ts";
import { ownHours } from "../../hour-callers.ts";
import { oldDrafts, untouchedDrafts } from "./drafts.due.ts";
import { TimeEntryDraftPayload, TimeEntryDraftRead } from "./view-schemas.ts";

const LOCK = statement(
  "select version from time_drafts where organisation_id = $1 and account_id = $2 and entry_date = $3 for update",
);
const PUT = statement(`insert into time_drafts as d (organisation_id, account_id, entry_date, payload) values ($1, $2, $3, $4)
  on conflict (organisation_id, account_id, entry_date)
    do update set payload = excluded.payload, version = d.version + 1, updated_at = statement_timestamp()
  returning entry_date, payload, updated_at, version`);
const REMOVE = statement("delete from time_drafts where organisation_id = $1 and account_id = $2 and entry_date = $3");

/** The key of the caller's draft of a day; locks an existing draft and checks `If-Match`. @throws 403, 412 */
async function lockedPlace(day: string): Promise<[string, string, string]> {
  const place: [string, string, string] = [request().organisation.id, ownHours(), day];
  const stored = await queryOne<{ version: number }>(LOCK, place);
  if (stored) requireMatch(stored.version);
  return place;
}

export default service("time.drafts", {
  actions: {
    put: action({
      rest: "PUT /time/drafts/:entry_date",
      summary: "Save the typed input of a day, replacing the previous one",
      description: "Only its author ever reads a draft, on the author's own day.",
      permission: "time.entry.write",
      path: { entry_date: date() },
      exceptions: {
        tenancy: "a draft is its author's raw input; ids in it are never resolved (work §4.3)",
        selection: "a draft is its author's raw input; ids in it are never resolved (work §4.3)",
      },
      body: TimeEntryDraftPayload,
      returns: TimeEntryDraftRead,
      errors: ["forbidden"],
      async handler(ctx) {
        const place = await lockedPlace(ctx.params.entry_date);
        const payload = withoutNulls(ctx.params.body);
        const kept = await queryOne<Static<typeof TimeEntryDraftRead> & { version: number }>(PUT, [
          ...place,
          JSON.stringify(payload),
        ]);
        const { version, ...answer } = kept as NonNullable<typeof kept>;
        return new JsonText(JSON.stringify(answer), version);
      },
    }),

    remove: action({
      rest: "DELETE /time/drafts/:entry_date",
      summary: "Delete the typed input of a day; succeeds without one too",
      permission: "time.entry.write",
      path: { entry_date: date() },
      errors: ["forbidden"],
      async handler(ctx) {
        enqueue(REMOVE, await lockedPlace(ctx.params.entry_date));
      },
    }),
  },

  jobs: {
    "time.drop-drafts": {
      about: "Drops drafts of hours that were not touched for 30 days",
      module: "time",
      schedule: "45 3 * * *",
      due: oldDrafts,
      spread: 14,
      handler: (run) => clearOld(run, untouchedDrafts),
    },
  },
});
