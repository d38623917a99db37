import { REPORT_AUDIENCES } from "../../../core/declare/report-sections.ts";
import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  field,
  flag,
  input,
  instant,
  json,
  label,
  map,
  multiline,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";

export const REPORT_STATUSES = namedValues("ReportStatus", ["draft", "generating", "ready", "sent", "failed"]);
/** Longest text of a section by a person, in characters. */
const MOST_NARRATIVE = 20_000;
/** Most clients in a batch. */
const MOST_COMPANIES = 2000;

const AUDIENCE =
  "Audience of the report: the `client`, or `internal` for the organisation itself, which requires `reporting.internal.read`";
const audience = () => choice(REPORT_AUDIENCES, { description: AUDIENCE });

const head = {
  id: uuid(),
  company_id: nullable(field(uuid(), "The client; null once it is deleted: a report outlives its client")),
  company_name: Type.String({ description: "The client's name as the report prints it, from when it was made" }),
  audience: audience(),
  status: choice(REPORT_STATUSES, {
    description:
      "`draft`: no run has begun; `generating`: a run is in flight; `ready`: it has a document; `sent`: it was mailed; `failed`: see the warnings",
  }),
  locale: Type.String({ description: "Language it is printed in" }),
  title: Type.String({ description: "Its title, in its language" }),
  period_start: field(date(), "First day of its period"),
  period_end: field(date(), "Last day of its period, counted too"),
  revision: Type.Integer({
    description:
      "1, and one more for each correction of a sent report about the same period. The portal shows the newest published one",
  }),
  published_at: nullable(field(instant(), "When it appeared in the client's portal, UTC; null while it is not there")),
  sent_at: nullable(field(instant(), "When it was last mailed, UTC; null if never")),
  pdf_file_id: nullable(field(uuid(), "Its document as a file; null until there is one")),
  warning_count: Type.Integer({ description: "How many warnings it has; 0 for client logins" }),
  generated_by_name: nullable(Type.String({ description: "Who had it made; null for the schedule" })),
  created_at: instant(),
  updated_at: instant(),
};

export const PeriodicReportRead = answer("PeriodicReportRead", head);

const ReportWarningRead = answer("ReportWarningRead", {
  code: Type.String({ description: "Translation key below `reporting.warning.`" }),
  detail: nullable(
    Type.String({ description: "What the warning is about, such as the key of a section; null for the whole report" }),
  ),
});
const PrintedSection = answer("PrintedReportSection", {
  key: Type.String({ description: "Key of the section in the catalogue" }),
  title: Type.String({ description: "Its heading, in the report's language" }),
});

/** The outcome of a recipient's mail, as reports show it. */
const DELIVERIES = ["sent", "bounced", "failed", "unknown", "unreachable"] as const;

/** A recipient of a sent report, as its detail shows it. */
const ReportSentTo = answer("ReportSentTo", {
  contact_id: nullable(field(uuid(), "The contact it was mailed to; null for an address, and once the contact is deleted")),
  email: nullable(Type.String({ description: "The address it was mailed to; null if the contact has none" })),
  name: nullable(Type.String({ description: "The name given for it, else the contact's full name; null if unknown" })),
  delivery: choice(DELIVERIES, {
    description:
      "`sent`: the mail server accepted it; `bounced`: it refused the address; `failed`: it did not accept the mail, and sending it again can succeed; `unknown`: its answer was lost, and the mail is not repeated; `unreachable`: there is no address, or the contact is no longer the client's",
  }),
  reason: nullable(Type.String({ description: "An error key, or the mail server's message; null if the mail was accepted" })),
  sent_at: nullable(field(instant(), "When the mail was accepted, UTC; null if it was not")),
});

export const PeriodicReportDetail = answer("PeriodicReportDetail", {
  ...head,
  compare_start: field(date(), "First day of the period its figures are compared with"),
  compare_end: field(date(), "Last day of that period, counted too"),
  data_snapshot: nullable(
    json({ description: "Every figure and label that the document prints, as gathered; null until a run has gathered them" }),
  ),
  narrative: map(Type.String(), { description: "The text of each section by its key" }),
  edited_sections: Type.Array(Type.String(), {
    description: "Keys of sections whose text a person wrote: later runs keep it",
  }),
  warnings: Type.Array(ReportWarningRead, { description: "Warnings of the last run; empty for client logins" }),
  sent_to: Type.Array(ReportSentTo, { description: "Recipients of its mails, and the outcome of each mail" }),
  template_id: nullable(field(uuid(), "The template it is made with; null for the shipped design")),
  sections: Type.Array(PrintedSection, { description: "The sections that it prints, in order" }),
});

const period = {
  period_start: optional(
    nullable(
      field(
        date(),
        "First day of the period, today in the organisation's zone at the latest, together with `period_end`; without both the previous whole month in the organisation's zone, the previous quarter where the client's reports are quarterly",
      ),
    ),
  ),
  period_end: optional(nullable(field(date(), "Last day of the period, counted too; at most 400 days"))),
};
const asked = {
  audience: optional(choice(REPORT_AUDIENCES, { default: "client", description: AUDIENCE })),
  ...period,
  refresh_data: optional(
    field(
      flag(false),
      "Make a report again that is ready; without it such a report stays as it is. Refused for a report that was sent, or that a recipient may have",
    ),
  ),
};

export const ReportGenerate = input("PeriodicReportGenerate", {
  company_id: field(uuid(), "The client"),
  ...asked,
});
export const ReportGenerated = answer(
  "PeriodicReportGenerated",
  {
    report: PeriodicReportRead,
    queued: Type.Boolean({ description: "Whether a run was queued; false where one is in flight or the report is ready" }),
  },
  { report: "The report, as it is now" },
);

export const ReportGenerateBatch = input("PeriodicReportGenerateBatch", {
  company_ids: optional(
    nullable(
      Type.Array(uuid(), {
        maxItems: MOST_COMPANIES,
        description: "Clients whose reports to generate; if omitted, all with an active profile",
      }),
    ),
  ),
  ...asked,
});
const SkippedClient = answer("ReportSkippedClient", {
  company_id: field(uuid(), "The client"),
  reason: Type.String({
    description:
      "`already_ready`, or a translation key: errors.not_found for a client without an active profile in the caller's view, errors.reporting.not_ready while a run is in flight, errors.reporting.already_sent where figures of a sent one were to be refreshed",
  }),
});
export const ReportBatch = answer("PeriodicReportBatch", {
  queued: Type.Integer({ description: "Reports whose run was queued" }),
  skipped: Type.Array(SkippedClient, { description: "Clients without a queued run, each with the reason" }),
  enrolled: Type.Integer({ description: "Clients with an active profile among those requested" }),
  unconfigured: Type.Integer({
    description: "Clients with an active link to a source of figures and no profile; counted where `enrolled` is 0, else 0",
  }),
});

export const ReportNarrative = input("PeriodicReportNarrative", {
  narrative: map(multiline(MOST_NARRATIVE), {
    description: "Texts by the key of their section; omitted ones stay. An empty text prints none",
  }),
});
export const ReportRewrite = input("PeriodicReportRewrite", {
  section_key: { ...label(120), description: "Key of the section to rewrite" },
});
