import { addDays, addMonths, endOf, type IsoDate } from "../../../core/calendar/calendar.ts";
import { comparedSpan, namedSpan } from "../../../core/calendar/named-spans.ts";
import { type Locale, localeOf } from "../../../core/config/defaults.ts";
import { columns, newId } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import type {
  ReportAudience,
  ReportSectionData,
  ReportSpan,
  ReportTotal,
  ReportValueKind,
} from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { changeOf, printedTotals } from "../../../mixins/drawing/numbers.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { gatherSections } from "../gathering/gather.ts";
import { type Recipient, Report, ReportProfile, ReportTemplate, type ReportTemplateRow } from "../models.ts";
import { ruledSummary } from "../prose/summary.ts";
import { lookOf } from "../rendering/report-document.ts";
import { reportTitle } from "../rendering/report-title.ts";
import type { ReportContent } from "../rendering/report-view.ts";
import { sampleReport } from "../rendering/sample.ts";
import { queueRun } from "../runs/queue-reports.ts";
import { offeredSections } from "../sections/catalogue.ts";
import { sectionsFor } from "../sections/layout.ts";
import { SUMMARY } from "../sections/summary.ts";
import { HOUSE_TONE } from "../tones/house-tone.ts";
import { seedHouseTone } from "../tones/tone-rows.ts";

/** Number of clients with reports. */
const CLIENTS = 3;
const INTRO = {
  nl: "Elke maand ziet u hier hoe uw website gevonden en bezocht wordt, vergeleken met dezelfde maand een jaar eerder.",
  en: "Each month this report shows how people find and visit your website, compared with the same month a year before.",
};
const NAMES = { nl: ["Maandrapportage", "Interne rapportage"], en: ["Monthly report", "Internal report"] } as const;
/** The template of clients that read the language which the organisation does not use. */
const NAMES_ABROAD = { nl: "Maandrapportage (Nederlands)", en: "Monthly report (English)" };
const COMPARED = { nl: "Vergeleken met een jaar eerder", en: "Compared with a year before" };

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
  locale: Locale;
  span: ReportSpan;
  /** The same month of the year before. */
  compared: ReportSpan;
  sentAt: string | null;
  /** The scale of its invented figures relative to the sample. */
  factor: number;
}

const scaled = (kind: ReportValueKind, factor: number, value: number | null): number | null =>
  kind === "count" && value !== null ? Math.round(value * factor) : value;

/** The sample's figures, scaled for one client and month: for an organisation without stored figures. */
function inventedFigures({ audience, locale, span, factor }: DemoReport): ReportContent["sections"] {
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

/** A text that names the changes of a section's figures. */
function changesOf({ totals }: ReportSectionData, locale: Locale): string {
  const changes = printedTotals(totals).flatMap((total) => {
    const [first = "", ...letters] = total.label[locale];
    const change = changeOf(total, locale);
    return change ? [`${first.toLowerCase()}${letters.join("")} ${change.text}`] : [];
  });
  return changes.length === 0 ? "" : `${COMPARED[locale]}: ${new Intl.ListFormat(locale).format(changes)}.`;
}

/** A report's figures: those that its sections print from stored answers, else the sample's. */
async function figuresOf(wanted: DemoReport): Promise<ReportContent["sections"]> {
  const { client, audience, locale, span, compared } = wanted;
  const sections = sectionsFor(offeredSections(), audience).map(({ title, ...section }) => ({
    ...section,
    heading: title[locale],
  }));
  const gathered = await gatherSections({ company: client.id, audience, locale, span, compared, sections });
  if (gathered.sections.length === 0) return inventedFigures(wanted);
  const snapshot = { audience, locale, client: client.name, span, compared, sections: gathered.sections };
  const summary = ruledSummary(snapshot, HOUSE_TONE[locale]);
  return gathered.sections.map((section) => ({
    ...section,
    prose: section.key === SUMMARY ? summary : changesOf(section.data, locale),
  }));
}

const other = (locale: Locale): Locale => (locale === "nl" ? "en" : "nl");
/** Whether the client at a position reads the language which the organisation does not use: the last one. */
const isAbroad = (place: number): boolean => place === CLIENTS - 1;

/** A span, and the one that it is compared with. */
function yearly(start: IsoDate, end: IsoDate): Pick<DemoReport, "span" | "compared"> {
  const { from, to } = comparedSpan({ from: start, to: end }, "year");
  return { span: { start, end }, compared: { start: from, end: to } };
}

/** The reports to create: last month's for each client; for the first client also an internal and an earlier, sent one. */
function wantedReports(clients: readonly Client[], today: IsoDate, locale: Locale): DemoReport[] {
  const { from: start, to: end } = namedSpan("last_month", today);
  const before = addMonths(start, -1);
  return clients.flatMap((client, place) => {
    const factor = 1 + place * 0.6;
    const language = isAbroad(place) ? other(locale) : locale;
    const ready: DemoReport = { client, audience: "client", locale: language, ...yearly(start, end), sentAt: null, factor };
    if (place > 0) return [ready];
    return [
      ready,
      { ...ready, audience: "internal" },
      { ...ready, ...yearly(before, endOf("month", before)), sentAt: `${start.slice(0, 8)}05T08:05:00.000Z`, factor: 0.94 },
    ];
  });
}

/** Adds a template. */
async function addTemplate(
  values: Pick<ReportTemplateRow, "id" | "audience" | "name" | "intro_text" | "is_default">,
): Promise<ReportTemplateRow> {
  const id = queueInsert(ReportTemplate, values);
  return (await queryOne<ReportTemplateRow>(TEMPLATE, [request().organisation.id, id])) as ReportTemplateRow;
}

/**
 * Adds one report. A job prints the PDF of a sent one, because seeding starts no browser; if that fails, the report stays sent without it.
 * The PDF of a ready one is printed on request.
 */
async function addReport(
  id: string,
  wanted: DemoReport,
  figures: ReportContent["sections"],
  template: ReportTemplateRow,
): Promise<void> {
  const { client, audience, locale, span, compared, sentAt } = wanted;
  const sections = figures.map(({ key, title, data }) => ({ key, title, data }));
  const recipient: Recipient = { contact_id: client.contact_id, email: client.email, name: null };
  const isMailed = sentAt !== null && client.email !== null;
  const run = sentAt === null ? null : newId();
  const report_id = queueInsert(Report, {
    id,
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
    look: await lookOf(request().organisation, template),
    narrative: Object.fromEntries(figures.flatMap(({ key, prose }) => (prose === "" ? [] : [[key, prose]]))),
    // As after the step before printing.
    ...(run !== null && { run_id: run, run_started_at: new Date().toISOString(), run_step: "prose" }),
  });
  if (run !== null) queueRun({ report_id, run_id: run, prints_only: true });
}

/** The clients, and the reports to create with their figures; undefined if a client already has a profile. */
async function plannedDemo(
  locale: Locale,
): Promise<{ clients: Client[]; reports: [DemoReport, ReportContent["sections"]][] } | undefined> {
  const { id } = request().organisation;
  if (await queryOne(BUSY, [id])) return undefined;
  const clients = await query<Client>(SITES, [id]);
  const reports: [DemoReport, ReportContent["sections"]][] = [];
  for (const wanted of wantedReports(clients, organisationToday(), locale)) reports.push([wanted, await figuresOf(wanted)]);
  return clients.length === 0 ? undefined : { clients, reports };
}

/**
 * Gives the demo organisation a tone, templates, and reports of its first clients: a sent one, ready ones, an internal one, and one in the
 * other language. Their figures are those that the demo has stored, so it calls no source, model or browser. A job prints the sent one. Does nothing if a client already has a profile.
 */
export async function fillReports({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  const locale = localeOf(organisation.locale);
  // Sections are gathered in a read, as in a run.
  const planned = await inTenancy(
    () => systemRequest("seed", organisation, "read"),
    () => plannedDemo(locale),
  );
  if (!planned) return;
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      const ids = demoIds(organisation);
      await seedHouseTone();
      const [name, internal] = NAMES[locale];
      const client = await addTemplate({
        id: ids("reporting/templates"),
        audience: "client",
        name,
        intro_text: INTRO[locale],
        is_default: true,
      });
      const abroad = await addTemplate({
        id: ids("reporting/templates"),
        audience: "client",
        name: NAMES_ABROAD[other(locale)],
        intro_text: INTRO[other(locale)],
        is_default: false,
      });
      const ofColleagues = await addTemplate({
        id: ids("reporting/templates"),
        audience: "internal",
        name: internal,
        intro_text: null,
        is_default: true,
      });
      for (const [place, { id, contact_id }] of planned.clients.entries())
        queueInsert(ReportProfile, {
          company_id: id,
          recipients: contact_id === null ? [] : [{ contact_id, email: null, name: null }],
          // Prevents reports from being created and mailed unattended.
          schedule: { cadence: "off" },
          ...(isAbroad(place) && { locale: other(locale), template_id: abroad.id }),
        });
      for (const [wanted, figures] of planned.reports) {
        const ofClient = wanted.locale === locale ? client : abroad;
        await addReport(ids("reporting/reports"), wanted, figures, wanted.audience === "internal" ? ofColleagues : ofClient);
      }
    },
  );
}
