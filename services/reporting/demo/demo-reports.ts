import { addDays, addMonths, endOf, type IsoDate } from "../../../core/calendar/calendar.ts";
import { comparedSpan, namedSpan } from "../../../core/calendar/named-spans.ts";
import { type Locale, localeOf } from "../../../core/config/defaults.ts";
import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { insert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import type { ReportAudience, ReportSpan, ReportTotal, ReportValueKind } from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { type Recipient, Report, ReportProfile, ReportTemplate, type ReportTemplateRow } from "../models.ts";
import { lookOf } from "../rendering/report-document.ts";
import { reportTitle } from "../rendering/report-title.ts";
import { sampleReport } from "../rendering/sample.ts";
import { seedHouseTone } from "../tones/tone-rows.ts";

/** Number of clients with reports. */
const CLIENTS = 3;
const INTRO = {
  nl: "Elke maand ziet u hier hoe uw website gevonden en bezocht wordt, vergeleken met dezelfde maand een jaar eerder.",
  en: "Each month this report shows how people find and visit your website, compared with the same month a year before.",
};
const NAMES = { nl: ["Maandrapportage", "Interne rapportage"], en: ["Monthly report", "Internal report"] } as const;

const BUSY = statement("select 1 from report_profiles where organisation_id = $1 limit 1");
/** Clients with a website, and the primary contact of each. */
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
/** A report to create: its client, span and state. */
interface DemoReport {
  client: Client;
  audience: ReportAudience;
  span: ReportSpan;
  sentAt: string | null;
  /** The scale of its invented figures relative to the sample. */
  factor: number;
}

const scaled = (kind: ReportValueKind, factor: number, value: number | null): number | null =>
  kind === "count" && value !== null ? Math.round(value * factor) : value;

/** The sample's figures, scaled for one client and month. Real figures would need calls to the sources. */
function inventedFigures({ audience, span, factor }: DemoReport, locale: Locale): ReturnType<typeof sampleReport>["sections"] {
  const month = Number(span.start.slice(5, 7));
  return sampleReport(locale, audience).sections.map(({ data, ...section }) => {
    const { totals, series, table, final_until } = data;
    const sized = ({ kind, value, before }: ReportTotal) => ({
      value: scaled(kind, factor, value),
      before: scaled(kind, factor, before),
    });
    const isLine = series?.kind === "line";
    return {
      ...section,
      data: {
        ...data,
        totals: totals.map((total) => ({ ...total, ...sized(total) })),
        ...(series && {
          series: {
            ...series,
            points: series.points.map(({ key, value, before }) => ({
              // The sample's line names days by day and month.
              key: isLine ? key.replace(/-\d+$/, `-${month}`) : key,
              value: scaled(series.valueKind, factor, value),
              before: scaled(series.valueKind, factor, before),
            })),
          },
        }),
        ...(table && {
          table: {
            ...table,
            rows: table.rows.map((row) =>
              row.map((value, at) =>
                typeof value === "number" ? scaled(table.columns[at]?.kind ?? "text", factor, value) : value,
              ),
            ),
          },
        }),
        ...(final_until && { final_until: addDays(span.end, -2) }),
      },
    };
  });
}

/** The reports to create: last month's for each client; for the first client also an internal and an earlier, sent one. */
function wantedReports(clients: readonly Client[], today: IsoDate): DemoReport[] {
  const { from: start, to: end } = namedSpan("last_month", today);
  const before = addMonths(start, -1);
  const last = { start, end };
  return clients.flatMap((client, place) => {
    const factor = 1 + place * 0.6;
    const ready: DemoReport = { client, audience: "client", span: last, sentAt: null, factor };
    if (place > 0) return [ready];
    const earlier = { start: before, end: endOf("month", before) };
    return [
      ready,
      { ...ready, audience: "internal" },
      { ...ready, span: earlier, sentAt: `${start.slice(0, 8)}05T08:05:00.000Z`, factor: 0.94 },
    ];
  });
}

/** Adds a template as the default of its audience. */
async function addTemplate(audience: ReportAudience, name: string, intro_text: string | null): Promise<ReportTemplateRow> {
  const id = insert(ReportTemplate, { name, audience, intro_text, is_default: true });
  return (await queryOne<ReportTemplateRow>(TEMPLATE, [request().organisation.id, id])) as ReportTemplateRow;
}

/** Adds one report. Its PDF is printed on request only, because the demo starts no browser. */
async function addReport(wanted: DemoReport, template: ReportTemplateRow): Promise<void> {
  const { client, audience, span, sentAt } = wanted;
  const { organisation } = request();
  const locale = localeOf(organisation.locale);
  const year = comparedSpan({ from: span.start, to: span.end }, "year");
  const compared = { start: year.from, end: year.to };
  const figures = inventedFigures(wanted, locale);
  const sections = figures.map(({ key, title, data }) => ({ key, title, data }));
  const recipient: Recipient = { contact_id: client.contact_id, email: client.email, name: null };
  const isMailed = sentAt !== null && client.email !== null;
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
    sent_to: isMailed ? [{ ...recipient, delivery: "sent", reason: null, sent_at: sentAt }] : [],
    sections: sections.map(({ key, title }) => ({ key, title })),
    data_snapshot: { locale, audience, client: client.name, span, compared, sections },
    look: await lookOf(organisation, template),
    narrative: Object.fromEntries(figures.map(({ key, prose }) => [key, prose])),
  });
}

/**
 * Gives the demo organisation a tone, templates, and reports of its first clients with invented figures: a sent one, ready ones and an
 * internal one. It calls no source, model or browser. Does nothing if a client already has a profile.
 */
export async function fillReports({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const clients = await query<Client>(SITES, [organisation.id]);
      if (clients.length === 0) return;
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
          // Prevents reports from being created and mailed unattended.
          schedule: { cadence: "off" },
        });
      for (const wanted of wantedReports(clients, organisationToday())) await addReport(wanted, templates[wanted.audience]);
    },
  );
}
