import { query, queryOne } from "../../../core/database/query.ts";
import { withoutBlanks } from "../../../core/database/write.ts";
import type { ReportAudience } from "../../../core/declare/report-sections.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { requireLocale } from "../locale.ts";
import { type Recipient, ReportProfile } from "../models.ts";
import { ownSchedule } from "../schedule/schedule.ts";
import type { ProfileValues } from "./profile-rows.ts";
import type { ReportProfileWrite } from "./profile-schemas.ts";

type SentProfile = Static<typeof ReportProfileWrite>;

const TONE = statement("select 1 from report_tones where organisation_id = $1 and id = $2 for key share");
const TEMPLATES = statement(
  "select id, audience from report_templates where organisation_id = $1 and id = any($2::uuid[]) order by id for key share",
);
const CONTACTS = statement(
  "select contact_id from contact_links where organisation_id = $1 and company_id = $2 and contact_id = any($3::uuid[])",
);

/** An id or e-mail address as stored. */
const lower = (text: string | null | undefined): string | null => text?.toLowerCase() ?? null;

/** @throws 422 for a recipient with neither a contact nor an address */
function recipientsOf(sent: SentProfile["recipients"] = []): Recipient[] {
  return sent.map(({ contact_id, email, name }) => {
    const recipient = { contact_id: lower(contact_id), email: lower(email), name: blankToNull(name) ?? null };
    if (recipient.contact_id === null && recipient.email === null) throw invalid({ recipients: "errors.required" });
    return recipient;
  });
}

/** A profile as stored; omitted fields get their defaults, because a PUT replaces the whole. @throws 422 */
export function profileValues(sent: SentProfile): ProfileValues {
  if (sent.locale) requireLocale("locale", sent.locale);
  return withoutBlanks(ReportProfile, {
    display_name: sent.display_name?.trim() ?? null,
    tone_id: lower(sent.tone_id),
    template_id: lower(sent.template_id),
    internal_template_id: lower(sent.internal_template_id),
    locale: sent.locale ?? null,
    business_context: sent.business_context ?? null,
    goals: sent.goals ?? null,
    seo_focus: sent.seo_focus ?? null,
    sea_focus: sent.sea_focus ?? null,
    key_services: sent.key_services ?? null,
    priority_pages: sent.priority_pages ?? null,
    conversion_goals: sent.conversion_goals ?? null,
    scope_notes: sent.scope_notes ?? null,
    avoid_topics: sent.avoid_topics ?? null,
    recipients: recipientsOf(sent.recipients),
    schedule: ownSchedule(sent.schedule),
    sections: sent.sections ?? {},
    internal_enabled: sent.internal_enabled ?? true,
    active: sent.active ?? true,
  });
}

/**
 * Checks the rows a profile refers to.
 * @throws 404 for a missing tone, template or contact of the client; 422 for a template of the wrong audience
 */
export async function requireNamed(companyId: string, values: ProfileValues): Promise<void> {
  const { id: organisation } = request().organisation;
  const { tone_id, template_id, internal_template_id, recipients } = values;
  if (tone_id && !(await queryOne(TONE, [organisation, tone_id]))) throw notFound();
  const wanted = { template_id: "client", internal_template_id: "internal" } as const;
  const ids = [template_id, internal_template_id].flatMap((id) => id ?? []);
  if (ids.length > 0) {
    const found = await query<{ id: string; audience: ReportAudience }>(TEMPLATES, [organisation, ids]);
    const audiences = new Map(found.map(({ id, audience }) => [id, audience]));
    if (!ids.every((id) => audiences.has(id))) throw notFound();
    for (const [field, audience] of Object.entries(wanted)) {
      const id = values[field as keyof typeof wanted];
      if (id && audiences.get(id) !== audience) throw invalid({ [field]: "errors.validation" });
    }
  }
  const contacts = [...new Set(recipients.flatMap(({ contact_id }) => contact_id ?? []))];
  if (contacts.length === 0) return;
  const linked = await query<{ contact_id: string }>(CONTACTS, [organisation, companyId, contacts]);
  if (linked.length < contacts.length) throw notFound();
}
