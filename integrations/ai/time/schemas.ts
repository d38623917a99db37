import {
  answer,
  date,
  field,
  flag,
  input,
  integer,
  multiline,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

const override_budget = field(
  optional(flag(false)),
  "True carries on although the month's budget of tokens, or of speech, is used up",
);

export const TimeParseRequest = input("TimeParseRequest", {
  text: field(multiline(2000, { minLength: 1 }), "The work, in a person's own words"),
  today: field(optional(nullable(date())), "Day that words such as yesterday refer to; null is the organisation's today"),
  override_budget,
});

export const TimeParseResult = answer("TimeParseResult", {
  date: field(nullable(date()), "Day of the work; null if not mentioned"),
  start: nullable(Type.String({ description: "Start of the work, `HH:MM`; null if not mentioned" })),
  end: nullable(Type.String({ description: "End of the work, `HH:MM`; null if not mentioned" })),
  duration_minutes: field(nullable(integer()), "Minutes worked; null if not mentioned"),
  company_id: field(nullable(uuid()), "Client recognised, among those the caller sees; null if none"),
  project_id: field(nullable(uuid()), "Project recognised; null if none"),
  task_id: field(nullable(uuid()), "Task recognised; null if none"),
  description: nullable(Type.String({ description: "Description of the work; null if not mentioned" })),
  entry_type_key: nullable(
    Type.String({ description: "Kind of work, an active type of time entries; null if none is recognised" }),
  ),
  billable: field(nullable(flag()), "Whether it is billable; null if not mentioned"),
  break_minutes: field(nullable(integer()), "Minutes of break; null if not mentioned"),
});

export const TimeReconstructRequest = input("TimeReconstructRequest", {
  date: field(date(), "Day to look at, in the organisation's zone"),
  override_budget,
});

export const TimeReconstructResult = answer("TimeReconstructResult", {
  short: field(flag(), "Whether more than 15 scheduled minutes are neither logged nor leave"),
  scheduled_minutes: field(integer(), "Minutes of the caller's working schedule on that day"),
  logged_minutes: field(integer(), "Minutes that the caller logged"),
  leave_minutes: field(integer(), "Minutes of approved leave and holidays"),
  suggestions: field(
    Type.Array(
      answer("TimeSuggestion", {
        company_id: field(nullable(uuid()), "The client; null without one"),
        project_id: field(nullable(uuid()), "The project; null without one"),
        task_id: field(nullable(uuid()), "The task; null without one"),
        minutes: field(nullable(integer()), "Minutes to log; together they never exceed the gap"),
        description: Type.String({ default: "", description: "Text of the time entry, at most 500 characters" }),
        label: Type.String({ default: "", description: "Short name of the suggestion, at most 120 characters" }),
      }),
      { default: [] },
    ),
    "At most 6 time entries that would fill the gap, derived from tasks that the caller worked on; not stored",
  ),
});

export const TimeTranscribeRequest = input("TimeTranscribeRequest", {
  audio: Type.String({ minLength: 1, maxLength: 12_000_000, description: "The clip in base64" }),
  language: field(optional(nullable(text(8))), "Spoken language, such as `nl`; null lets the provider detect it"),
  override_budget,
});

export const TimeTranscribeResult = answer("TimeTranscribeResult", {
  text: Type.String({ description: "The spoken words as text" }),
});
