import {
  answer,
  field,
  flag,
  input,
  instant,
  label,
  multiline,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

/** Maximum length of a report in characters. */
const MOST_CONTENT = 200_000;

/** A real calendar month, `YYYY-MM`; the calendar has no year 0. */
const period = () => Type.String({ pattern: "^(?!0000)\\d{4}-(0[1-9]|1[0-2])$" });
const language = () => optional(text(8, { default: "nl" }));

const REPORT = {
  company_id: "The client that it is about",
  period: "Calendar month, `YYYY-MM`",
  language: "Language it is written in, such as `nl`",
  title: "Title of the report",
  content: "Text of the report",
  created_by_name: "Who stored it, kept when that account is deleted; null if unknown",
};

export const ReportRead = answer(
  "ReportRead",
  {
    id: uuid(),
    company_id: uuid(),
    period: Type.String(),
    language: Type.String(),
    title: Type.String(),
    content: Type.String(),
    created_by_name: nullable(Type.String()),
    created_at: instant(),
    updated_at: instant(),
  },
  REPORT,
);

export const ReportCreate = input(
  "ReportCreate",
  {
    company_id: uuid(),
    period: period(),
    language: language(),
    title: label(255),
    content: optional(multiline(MOST_CONTENT, { default: "" })),
  },
  REPORT,
);

export const ReportUpdate = input(
  "ReportUpdate",
  {
    title: optional(nullable(label(255))),
    content: optional(nullable(multiline(MOST_CONTENT))),
  },
  REPORT,
);

export const ReportGenerateRequest = input(
  "ReportGenerateRequest",
  {
    company_id: uuid(),
    period: period(),
    language: language(),
    override_budget: field(optional(flag(false)), "True carries on although the month's token budget is used up"),
  },
  REPORT,
);
