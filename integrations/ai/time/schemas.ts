import {
  answer,
  date,
  flag,
  input,
  integer,
  multiline,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";

const override_budget = optional(flag(false));

export const TimeParseRequest = input("TimeParseRequest", {
  text: multiline(2000, { minLength: 1 }),
  today: optional(nullable(date())),
  override_budget,
});

export const TimeParseResult = answer("TimeParseResult", {
  date: nullable(date()),
  start: nullable(Type.String({ description: "`HH:MM`" })),
  end: nullable(Type.String({ description: "`HH:MM`" })),
  duration_minutes: nullable(integer()),
  company_id: nullable(uuid()),
  project_id: nullable(uuid()),
  task_id: nullable(uuid()),
  description: nullable(Type.String()),
  entry_type_key: nullable(Type.String()),
  billable: nullable(flag()),
  break_minutes: nullable(integer()),
});

export const TimeReconstructRequest = input("TimeReconstructRequest", { date: date(), override_budget });

export const TimeReconstructResult = answer("TimeReconstructResult", {
  short: flag(),
  scheduled_minutes: integer(),
  logged_minutes: integer(),
  leave_minutes: integer(),
  suggestions: Type.Array(
    answer("TimeSuggestion", {
      company_id: nullable(uuid()),
      project_id: nullable(uuid()),
      task_id: nullable(uuid()),
      minutes: nullable(integer()),
      description: Type.String({ default: "" }),
      label: Type.String({ default: "" }),
    }),
    { default: [] },
  ),
});

export const TimeTranscribeRequest = input("TimeTranscribeRequest", {
  audio: Type.String({ minLength: 1, maxLength: 12_000_000, description: "The clip in base64" }),
  language: optional(nullable(text(8))),
  override_budget,
});

export const TimeTranscribeResult = answer("TimeTranscribeResult", { text: Type.String() });
