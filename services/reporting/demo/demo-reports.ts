import { addMonths, endOf, startOf } from "../../../core/calendar/calendar.ts";
import { comparedSpan, namedSpan } from "../../../core/calendar/named-spans.ts";
import { localeOf } from "../../../core/config/defaults.ts";
import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { insert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import type { ReportAudience, ReportSpan } from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { gather } from "../gathering/gather.ts";
import { type Recipient, Report, ReportProfile, ReportTemplate, type ReportTemplateRow } from "../models.ts";
import { lookOf } from "../rendering/report-document.ts";
import { reportTitle } from "../runs/report-title.ts";
import { offeredSections } from "../sections/catalogue.ts";
import { sectionsFor } from "../sections/layout.ts";
import { seedHouseTone } from "../tones/tone-rows.ts";

/** Clients that get reports. */
const CLIENTS = 3;
const INTRO = {
  nl: "Elke maand ziet u hier hoe uw website gevonden en bezocht wordt, vergeleken met dezelfde maand een jaar eerder.",
  en: "Each month this report shows how people find and visit your website, compared with the same month a year before.",
};
const NAMES = { nl: ["Maandrapportage", "Interne rapportage"], en: ["Monthly report", "Internal report"] } as const;

const BUSY = statement("select 1 from report_profiles where organisation_id = $1 limit 1");
/** Clients with a website, which may have figures, and the primary contact of each. */
const SITES = statement(`select c.id, c.name, l.contact_id, k.email
  from (select w.company_id, min(d.name) as first from websites w
      join domains d on d.organisation_id = w.organisation_id and d.id = w.domain_id
    where w.organisation_id = $1 and w.company_id is not null group by w.company_id) s
  join companies c on c.organisation_id = $1 and c.id = s.company_id
  left join contact_links l on l.organisation_id = $1 and l.company_id = c.id and l.is_primary
  left join contacts k on k.organisation_id = $1 and k.id = l.contact_id
  order by s.first limit ${CLIENTS}`);
const TEMPLATE = statement(`select ${columns(ReportTemplate)} from report_templates where organisation_id = $1 and id = $2`);

interface Client {
  id: string;
  name: string;
  contact_id: string | null;
  email: string | null;
}
/** A report to make: for whom, of which month, and how far it is. */
interface Wanted {
  client: Client;
  audience: ReportAudience;
  span: ReportSpan;
  sentAt: string | null;
}

/** Makes one report of the figures there are; none where there are none. A run prints it later: the demo starts no browser. */
async function makeReport(
  { client, audience, span, sentAt }: Wanted,
  { organisation }: Pick<DemoOrganisation, "organisation">,
  template: ReportTemplateRow,
): Promise<void> {
  const locale = localeOf(organisation.locale);
  const year = comparedSpan({ from: span.start, to: span.end }, "year");
  const compared = { start: year.from, end: year.to };
  const { sections } = await gather({
    company: client.id,
    audience,
    span,
    compared,
    sections: sectionsFor(offeredSections(), audience).map(({ key, load, title }) => ({
      key,
      heading: title[locale],
      ...(load && { load }),
    })),
  });
  if (sections.length === 0) return;
  const recipient: Recipient = { contact_id: client.contact_id, email: client.email, name: null };
  insert(Report, {
    company_id: client.id,
    company_name: client.name,
    audience,
    status: sentAt === null ? "ready" : "sent",
    locale,
    title: reportTitle(locale, audience, span),
    period_start: span.start,
    period_end: span.end,
    compare_start: compared.start,
    compare_end: compared.end,
    template_id: template.id,
    published_at: sentAt,
    sent_at: sentAt,
    sent_to: sentAt !== null && client.email !== null ? [{ ...recipient, delivery: "sent", reason: null, sent_at: sentAt }] : [],
    sections: sections.map(({ key, title }) => ({ key, title })),
    data_snapshot: { locale, audience, client: client.name, span, compared, sections },
    look: await lookOf(organisation, template),
    warnings: [{ code: "ai_unavailable", detail: null }],
  });
}

/**
 * Gives the demo organisation a tone, templates, and reports of its first clients: one that was sent, ready ones and an internal one, made of
 * their figures without a model. Nothing where a client has a profile already.
 */
export async function fillReports({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const clients = await query<Client>(SITES, [organisation.id]);
      const [first] = clients;
      if (!first) return;
      await seedHouseTone();
      const locale = localeOf(organisation.locale);
      const templates: Record<ReportAudience, ReportTemplateRow> = {
        client: await addTemplate("client", NAMES[locale][0], INTRO[locale]),
        internal: await addTemplate("internal", NAMES[locale][1], null),
      };
      for (const { id, contact_id } of clients)
        insert(ReportProfile, {
          company_id: id,
          recipients: contact_id === null ? [] : [{ contact_id, email: null, name: null }],
          // The demo mails nobody by itself, and makes no report while nobody looks.
          schedule: { cadence: "off" },
        });
      const month = namedSpan("last_month", organisationToday());
      const last = { start: month.from, end: month.to };
      const before = addMonths(last.start, -1);
      const earlier = { start: startOf("month", before), end: endOf("month", before) };
      const wanted: Wanted[] = [
        { client: first, audience: "client", span: earlier, sentAt: `${last.start.slice(0, 8)}05T08:05:00Z` },
        { client: first, audience: "internal", span: last, sentAt: null },
        ...clients.map((client) => ({ client, audience: "client" as const, span: last, sentAt: null })),
      ];
      for (const one of wanted) await makeReport(one, { organisation }, templates[one.audience]);
    },
  );
}

async function addTemplate(audience: ReportAudience, name: string, intro_text: string | null): Promise<ReportTemplateRow> {
  const id = insert(ReportTemplate, { name, audience, intro_text, is_default: true });
  return (await queryOne<ReportTemplateRow>(TEMPLATE, [request().organisation.id, id])) as ReportTemplateRow;
}
