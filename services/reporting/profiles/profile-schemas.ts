import {
  answer,
  date,
  field,
  flag,
  input,
  line,
  map,
  multiline,
  nullable,
  optional,
  type TProperties,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { EffectiveSchedule, ReportSchedule } from "../schedule/schedule-schemas.ts";

const MOST_TEXT = 4000;
export const MOST_RECIPIENTS = 50;
const MOST_SECTIONS = 100;

/** Facts about the client for the model; null for none. */
export const BRIEFING = {
  business_context: "The client's business, and its customers",
  goals: "The client's goals, one a line; reports print them below the summary",
  seo_focus: "What search optimisation concentrates on",
  sea_focus: "What advertising concentrates on",
  key_services: "Services that matter most",
  priority_pages: "Pages that matter most",
  conversion_goals: "What counts as a conversion, and why",
  scope_notes: "What the agency does for the client, and what it does not",
  avoid_topics: "Subjects that a report must avoid",
} as const;
type Briefing = keyof typeof BRIEFING;

const ABOUT = {
  display_name: "The client's name in reports; null: its name here. The legal name is never used",
  tone_id: "Tone of its reports; null: the default",
  template_id: "Template of its reports; null: the default of the audience `client`, else the oldest",
  internal_template_id: "Template of its internal reports; null: the default of the audience `internal`, else the oldest",
  recipients: "Who gets its reports by mail",
  sections: "Whether a section is printed, by key, where the client differs from its template; never the order",
  internal_enabled: "Whether internal reports are made as well",
  active: "Whether its reports are made by schedule",
};
const nothing = "; null: not specified";

const Recipient = (answered: boolean) => {
  const part = <T extends Parameters<typeof optional>[0]>(schema: T) => (answered ? schema : optional(schema)) as T;
  return {
    contact_id: part(nullable(field(uuid(), "A contact of the client; null: only an address"))),
    email: part(
      nullable(
        answered
          ? Type.String({ description: "Address instead of the contact's own; null: the contact's own" })
          : Type.String({ format: "email", maxLength: 320, description: "Address instead of the contact's own" }),
      ),
    ),
    name: part(nullable(line({ maxLength: 255, description: "Name to greet; null: that of the contact, if any" }))),
  } satisfies TProperties;
};
const ReportRecipient = answer("ReportRecipient", Recipient(true));
export const ReportRecipientWrite = input("ReportRecipientWrite", Recipient(false));

const briefingRead = Object.fromEntries(
  Object.entries(BRIEFING).map(([name, about]) => [name, nullable(Type.String({ description: about + nothing }))]),
) as Record<Briefing, ReturnType<typeof nullable<ReturnType<typeof Type.String>>>>;
const briefingWrite = Object.fromEntries(
  Object.entries(BRIEFING).map(([name, about]) => [
    name,
    optional(nullable(multiline(MOST_TEXT, { description: about + nothing }))),
  ]),
) as Record<Briefing, ReturnType<typeof optional<ReturnType<typeof nullable<ReturnType<typeof Type.String>>>>>>;

export const ReportProfileRead = answer("ReportProfileRead", {
  id: field(uuid(), "All zeros until a profile is saved for the client"),
  company_id: field(uuid(), "The client"),
  display_name: nullable(Type.String({ description: ABOUT.display_name })),
  tone_id: nullable(field(uuid(), ABOUT.tone_id)),
  template_id: nullable(field(uuid(), ABOUT.template_id)),
  internal_template_id: nullable(field(uuid(), ABOUT.internal_template_id)),
  locale: Type.String({
    description: "Language of its reports; by default the organisation's",
  }),
  ...briefingRead,
  recipients: Type.Array(ReportRecipient, { description: ABOUT.recipients }),
  schedule: ReportSchedule,
  sections: map(Type.Boolean(), { description: ABOUT.sections }),
  internal_enabled: field(flag(true), ABOUT.internal_enabled),
  active: field(flag(true), ABOUT.active),
  effective_schedule: EffectiveSchedule,
  effective_sections: map(Type.Boolean(), {
    description:
      "Whether each section of the catalogue is printed, in its order: in reports for the client, and for internal-only sections in internal ones",
  }),
  next_run_on: nullable(field(date(), "Day of the next scheduled run, in the organisation's zone; null if none is scheduled")),
});

export const ReportProfileWrite = input("ReportProfileWrite", {
  display_name: optional(nullable(text(255, { description: ABOUT.display_name }))),
  tone_id: optional(nullable(field(uuid(), ABOUT.tone_id))),
  template_id: optional(nullable(field(uuid(), ABOUT.template_id))),
  internal_template_id: optional(nullable(field(uuid(), ABOUT.internal_template_id))),
  locale: optional(
    nullable(text(8, { description: "Language of its reports, as `nl`; null or absent: the organisation's default" })),
  ),
  ...briefingWrite,
  recipients: optional(
    Type.Array(ReportRecipientWrite, {
      maxItems: MOST_RECIPIENTS,
      default: [],
      description: `${ABOUT.recipients}: each a contact of the client, an address, or both`,
    }),
  ),
  schedule: optional(ReportSchedule),
  sections: optional(
    map(Type.Boolean(), {
      maxProperties: MOST_SECTIONS,
      propertyNames: { type: "string", maxLength: 120 },
      default: {},
      description: ABOUT.sections,
    }),
  ),
  internal_enabled: optional(field(flag(true), ABOUT.internal_enabled)),
  active: optional(field(flag(true), ABOUT.active)),
});
