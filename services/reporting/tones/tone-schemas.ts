import {
  answer,
  field,
  flag,
  input,
  integer,
  line,
  list,
  multiline,
  nonEmpty,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";

const MOST_PHRASES = 200;

const ABOUT = {
  name: "Name of the tone",
  description: "Purpose; null: not specified",
  instructions: "Instructions to the model about style",
  banned: "Phrases that must not occur in a report for a client; matched as whole words, case ignored",
  preferred: "Phrases for the model to use if they fit",
  isDefault: "Whether clients without a tone of their own get it; at most one tone is the default",
  active: "Whether it is used; a client with an inactive tone gets the default",
  position: "Position in the list, low first; then by name",
};
const phrases = (description: string) => Type.Array(line(), { maxItems: MOST_PHRASES, default: [], description });

export const ReportToneRead = answer("ReportToneRead", {
  id: { ...uuid(), description: "The tone" },
  key: Type.String({ description: "Made from the name when the tone was created, unique in the organisation; never changes" }),
  name: Type.String({ description: ABOUT.name }),
  description: nullable(Type.String({ description: ABOUT.description })),
  instructions: Type.String({ default: "", description: ABOUT.instructions }),
  banned_phrases: field(list(Type.String()), ABOUT.banned),
  preferred_phrases: field(list(Type.String()), ABOUT.preferred),
  is_default: field(flag(false), ABOUT.isDefault),
  active: field(flag(true), ABOUT.active),
  position: Type.Integer({ default: 0, description: ABOUT.position }),
});

export const ReportToneWrite = input("ReportToneWrite", {
  name: field(nonEmpty(160), ABOUT.name),
  description: optional(nullable(multiline(500, { description: ABOUT.description }))),
  instructions: optional(multiline(20_000, { default: "", description: ABOUT.instructions })),
  banned_phrases: optional(phrases(`${ABOUT.banned}; trimmed, blanks are dropped`)),
  preferred_phrases: optional(phrases(`${ABOUT.preferred}; trimmed, blanks are dropped`)),
  is_default: optional(field(flag(false), `${ABOUT.isDefault}, so that setting it unsets the other`)),
  active: optional(field(flag(true), ABOUT.active)),
  position: optional(integer(undefined, undefined, { default: 0, description: ABOUT.position })),
});
