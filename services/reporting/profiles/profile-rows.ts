import { columns, type OwnOf } from "../../../core/database/model.ts";
import { queryAll, queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import {
  type Recipient,
  ReportingSettings,
  type ReportingSettingsRow,
  ReportProfile,
  type ReportProfileRow,
  type ReportTemplateRow,
} from "../models.ts";
import { effectiveSchedule, nextRunOn } from "../schedule/schedule.ts";
import { offeredSections } from "../sections/catalogue.ts";
import { DEFAULTS } from "../settings/settings-rows.ts";
import { chosenTemplate } from "../templates/chosen-template.ts";
import { effectiveSections } from "./effective-sections.ts";
import type { ReportProfileRead } from "./profile-schemas.ts";

export type ProfileValues = Omit<OwnOf<typeof ReportProfile>, "company_id">;

/** Version and id of a profile that was never saved. */
export const UNSAVED_VERSION = 0;
const NO_ID = "00000000-0000-0000-0000-000000000000";
/** The profile of a client without saved values. */
const UNSAVED: ProfileValues = {
  display_name: null,
  tone_id: null,
  template_id: null,
  internal_template_id: null,
  locale: null,
  business_context: null,
  goals: null,
  seo_focus: null,
  sea_focus: null,
  key_services: null,
  priority_pages: null,
  conversion_goals: null,
  scope_notes: null,
  avoid_topics: null,
  recipients: [],
  schedule: {},
  sections: {},
  internal_enabled: true,
  active: true,
};

const SEEN = `($3::uuid[] is null or c.id in (select selected_companies($3::uuid[])))`;
/** The profile of client `$2`, and which of its contacts are still linked; unlinked ones are not shown. */
const READ = statement(`select ${columns(ReportProfile, "p")},
    array(select l.contact_id from contact_links l where l.organisation_id = c.organisation_id and l.company_id = c.id
      and p.recipients @> jsonb_build_array(jsonb_build_object('contact_id', l.contact_id))) as linked
  from companies c left join report_profiles p on p.organisation_id = c.organisation_id and p.company_id = c.id
  where c.organisation_id = $1 and c.id = $2 and ${SEEN}`);
const SETTINGS = statement(`select ${columns(ReportingSettings)} from reporting_settings where organisation_id = $1`);
const TEMPLATES = statement(
  "select id, audience, is_default, created_at, layout from report_templates where organisation_id = $1",
);
const SEEN_CLIENT = statement(`select 1 from companies c where c.organisation_id = $1 and c.id = $2 and ${SEEN} for key share`);
const LOCK = statement(
  `select ${columns(ReportProfile)} from report_profiles where organisation_id = $1 and company_id = $2 for update`,
);

type StoredProfile = ReportProfileRow & { linked: readonly string[] };
type Candidate = Pick<ReportTemplateRow, "id" | "audience" | "is_default" | "created_at" | "layout">;

const shownRecipient = (recipient: Recipient, linked: readonly string[]): Recipient => ({
  ...recipient,
  contact_id: recipient.contact_id !== null && linked.includes(recipient.contact_id) ? recipient.contact_id : null,
});

/** The profile of a client as answered; an unsaved one has inherited values. @throws 404 for a missing or invisible client */
export async function shownProfile(companyId: string): Promise<JsonText> {
  const { organisation, principal } = request();
  const [found, settings, templates] = (await queryAll(
    [READ, [organisation.id, companyId, principal?.selection ?? null]],
    [SETTINGS, [organisation.id]],
    [TEMPLATES, [organisation.id]],
  )) as unknown as [StoredProfile[], ReportingSettingsRow[], Candidate[]];
  const [row] = found;
  if (!row) throw notFound();
  const isSaved = row.id !== null;
  const values: ProfileValues = isSaved ? row : UNSAVED;
  const { default_locale, schedule: organisations } = settings[0] ?? DEFAULTS;
  const schedule = effectiveSchedule(organisations, values.schedule);
  const client = chosenTemplate(templates, "client", values.template_id);
  const internal = chosenTemplate(templates, "internal", values.internal_template_id);
  const layouts = { ...(client && { client: client.layout }), ...(internal && { internal: internal.layout }) };
  const body: Static<typeof ReportProfileRead> = {
    id: isSaved ? row.id : NO_ID,
    company_id: companyId.toLowerCase(),
    ...(Object.fromEntries(Object.keys(UNSAVED).map((name) => [name, values[name as keyof ProfileValues]])) as ProfileValues),
    locale: values.locale ?? default_locale,
    recipients: values.recipients.map((recipient) => shownRecipient(recipient, row.linked)),
    schedule: values.schedule,
    sections: values.sections,
    effective_schedule: schedule,
    effective_sections: effectiveSections(offeredSections(), layouts, values.sections),
    next_run_on: nextRunOn(schedule, values.active, organisationToday()),
  };
  return new JsonText(JSON.stringify(body), isSaved ? row.version : UNSAVED_VERSION);
}

/** Locks the stored profile of a client; undefined if none is saved. @throws 404 for a missing or invisible client */
export async function profileForWrite(companyId: string): Promise<ReportProfileRow | undefined> {
  const { organisation, principal } = request();
  if (!(await queryOne(SEEN_CLIENT, [organisation.id, companyId, principal?.selection ?? null]))) throw notFound();
  return queryOne<ReportProfileRow>(LOCK, [organisation.id, companyId]);
}
