import { sinceQuery } from "../../../core/database/lists/list.ts";
import { type InsertOf, newId } from "../../../core/database/model.ts";
import { differences, queueInsert, queueRemove, queueUpdate, withoutBlanks } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { list, type Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { ReportTone } from "../models.ts";
import { tidyName } from "../names.ts";
import { serialiseWrites } from "../turns.ts";
import { tidyPhrases } from "./phrases.ts";
import { activeTones, clearDefaultTone, freeKey, listedTones, tones } from "./tone-rows.ts";
import { ReportToneRead, ReportToneWrite } from "./tone-schemas.ts";

const KIND = "report_tone";
const MANAGE = "reporting.settings.manage";

type Values = Omit<InsertOf<typeof ReportTone>, "id" | "key">;

/** A tone as stored; omitted fields get their defaults, because a PUT replaces every field. @throws 422 for a blank name */
const valuesOf = (sent: Static<typeof ReportToneWrite>) =>
  withoutBlanks(ReportTone, {
    name: tidyName(sent.name),
    description: sent.description ?? null,
    instructions: sent.instructions ?? "",
    banned_phrases: tidyPhrases(sent.banned_phrases),
    preferred_phrases: tidyPhrases(sent.preferred_phrases),
    is_default: sent.is_default ?? false,
    active: sent.active ?? true,
    position: sent.position ?? 0,
  } satisfies Required<Omit<Values, "version" | "created_at" | "updated_at">>);

/** Tones of voice of client reports (workspace-reporting §1.1). */
export default resource("reporting.tones", {
  model: ReportTone,
  actions: {
    list: action({
      rest: "GET /reporting/tones",
      summary: "List the tones of reports, by position and name",
      description: "The first read creates a tone for an organisation without one; it can be changed and deleted.",
      permission: "reporting.profile.manage",
      query: sinceQuery,
      returns: list(ReportToneRead),
      handler: async ({ params: { updated_since: since } }) => new JsonText(await listedTones(since)),
    }),

    create: action({
      rest: "POST /reporting/tones",
      summary: "Add a tone of reports",
      description: "Its key is made from its name.",
      permission: MANAGE,
      body: ReportToneWrite,
      returns: ReportToneRead,
      async handler(ctx) {
        const values = valuesOf(ctx.params.body);
        // A concurrent first read may create the built-in tone as the default.
        request().retryableConstraints.add("report_tones_one_default").add("report_tones_key");
        serialiseWrites("tones");
        const id = newId();
        const key = await freeKey(values.name);
        if (values.is_default) clearDefaultTone(id);
        queueInsert(ReportTone, { ...values, id, key });
        trail(KIND, id, "created", { name: values.name });
        return tones.answerWith(id);
      },
    }),

    replace: action({
      rest: "PUT /reporting/tones/:tone_id",
      summary: "Replace a tone of reports",
      description: "Omitted fields get their defaults; the key stays.",
      permission: MANAGE,
      body: ReportToneWrite,
      returns: ReportToneRead,
      async handler(ctx) {
        const { tone_id: id, body } = ctx.params;
        const values = valuesOf(body);
        serialiseWrites("tones");
        const before = await tones.forWrite(id);
        const changed = differences(before, values);
        if (changed?.is_default) clearDefaultTone(id);
        if (changed) {
          queueUpdate(ReportTone, id, changed);
          trail(KIND, id, "updated", { changes: changesOf(ReportTone.tracked, before, changed) });
        }
        return tones.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /reporting/tones/:tone_id",
      summary: "Delete a tone of reports",
      description: "Its clients get the default. Refused while at most one tone is active, whichever is deleted.",
      permission: MANAGE,
      errors: ["conflict errors.reporting.last_tone"],
      async handler(ctx) {
        serialiseWrites("tones");
        const before = await tones.forWrite(ctx.params.tone_id);
        if ((await activeTones()) <= 1) throw conflict("errors.reporting.last_tone");
        queueRemove(ReportTone, before.id);
        trail(KIND, before.id, "deleted", { name: before.name });
      },
    }),
  },
});
