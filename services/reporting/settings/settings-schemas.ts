import { answer, input, json, multiline, nullable, optional, Type, text } from "../../../core/schema/schema.ts";
import { NOTHING_SET, ReportSchedule } from "../schedule/schedule-schemas.ts";

const ABOUT = {
  locale: "Language of reports for clients without one, for instance `nl`",
  footer: "Text at the end of every report; null if none",
};

export const ReportingSettingsRead = answer("ReportingSettingsRead", {
  default_locale: Type.String({ default: "nl", description: ABOUT.locale }),
  footer_text: nullable(Type.String({ description: ABOUT.footer })),
  schedule: json({ default: {}, description: "The effective schedule of clients without their own, with every key" }),
});

export const ReportingSettingsWrite = input("ReportingSettingsWrite", {
  default_locale: optional(text(8, { default: "nl", description: ABOUT.locale })),
  footer_text: optional(nullable(multiline(2000, { description: ABOUT.footer }))),
  schedule: optional({ ...ReportSchedule, default: NOTHING_SET }),
});
