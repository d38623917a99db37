import { answer, date, input, instant, label, neverNull, nullable, optional, uuid } from "../../../../core/schema/schema.ts";

const PAUSE = {
  company_id: "The client that is not dunned",
  invoice_id: "The only invoice of the client that is not dunned; null for all of them",
  reason: "Why, for colleagues; the client does not see it",
  until: "The last day of the pause, in the organisation's zone; null for no end",
};

export const DunningPauseRead = answer(
  "DunningPauseRead",
  {
    id: uuid(),
    company_id: uuid(),
    invoice_id: nullable(uuid()),
    reason: label(500),
    until: nullable(date()),
    created_at: instant(),
    updated_at: instant(),
  },
  PAUSE,
);

export const DunningPauseCreate = input(
  "DunningPauseCreate",
  { company_id: uuid(), invoice_id: optional(nullable(uuid())), reason: label(500), until: optional(nullable(date())) },
  PAUSE,
);

export const DunningPauseUpdate = input(
  "DunningPauseUpdate",
  { reason: optional(neverNull(label(500))), until: optional(nullable(date())) },
  PAUSE,
);
