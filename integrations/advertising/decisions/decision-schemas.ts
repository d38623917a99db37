import {
  answer,
  choice,
  date,
  field,
  flag,
  input,
  instant,
  json,
  multiline,
  nextCursorField,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { DECISIONS, SUBJECT_TYPES } from "./words.ts";

const ABOUT = {
  subject_type: `Type of the subject: ${SUBJECT_TYPES.join(", ")}`,
  subject:
    "Subject of the decision: a search term or keyword as text; another object by its name at the provider, its id being in `payload`, or by its id if it has no name",
  scope: "Where the decision applies: `account`, `campaign:<id>`, `ad_group:<id>` or `shared_set:<id>`",
  decision: `One of ${DECISIONS.join(", ")}`,
  expires_on: "Last day on which the decision is valid, in the organisation's zone; null: it does not expire",
};
/** States of a write to the provider. */
export const INTENT_STATES = ["pending", "applied", "refused", "unknown", "superseded"] as const;
/** States of a write whose outcome is not certain. */
export const OPEN_STATES = ["pending", "unknown"] as const;

export const AdsDecisionRead = answer("AdsDecisionRead", {
  id: field(uuid(), "Of a write that is listed by `state`: the `intent_id` of its error"),
  account_id: { ...uuid(), description: "The advertising account" },
  subject_type: field(Type.String(), ABOUT.subject_type),
  subject: field(Type.String(), ABOUT.subject),
  scope: field(Type.String(), ABOUT.scope),
  decision: field(Type.String(), ABOUT.decision),
  reason: Type.String({ description: "Reason; empty if none was given" }),
  applied: field(flag(), "Whether it was carried out at the provider"),
  source: Type.String({ description: "`manual`: recorded by a person; `write`: made by a write through the API" }),
  payload: json({ description: "Facts of the write, such as `from` and `to` of a budget; empty for a note" }),
  decided_by_name: Type.String({ description: "Who decided; empty for the system" }),
  impersonator_name: nullable(Type.String({ description: "The member who acted in the login of a client; null otherwise" })),
  expires_on: nullable(field(date(), ABOUT.expires_on)),
  withdrawn_at: nullable(field(instant(), "When it was withdrawn, UTC; null while it was not")),
  withdrawn_by_name: nullable(Type.String({ description: "Who withdrew it; null while it is valid" })),
  created_at: field(instant(), "When it was decided, UTC"),
  state: nullable(
    choice(INTENT_STATES, {
      description:
        "Of a write: `pending` while it runs, `applied` or `refused` once that is certain, `unknown` while its outcome is unknown, `superseded` if a later change replaced its value and nothing shows whether it was carried out. Null for a note",
    }),
  ),
});

export const AdsDecisionPage = answer("AdsDecisionPage", {
  items: Type.Array(AdsDecisionRead, { description: "Decisions of this page, the newest first" }),
  total: nullable(Type.Integer({ description: "How many there are; null with `count=false`" })),
  next_cursor: nextCursorField(),
});

export const AdsDecisionCreate = input("AdsDecisionCreate", {
  subject_type: optional(text(24, { default: "search_term", description: ABOUT.subject_type })),
  subject: text(255, { description: ABOUT.subject }),
  scope: optional(text(64, { default: "account", description: ABOUT.scope })),
  decision: text(24, { description: ABOUT.decision }),
  reason: optional(multiline(4000, { default: "", description: "Reason for the decision; empty if none is given" })),
  expires_on: optional(nullable(field(date(), ABOUT.expires_on))),
});
