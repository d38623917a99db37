import { answer, choice, input, line, nullable, optional, type Static, uuid } from "../../../core/declare/schema.ts";

export const PARTY_TYPES = ["agency", "company", "employee", "contact"] as const;
export type PartyType = (typeof PARTY_TYPES)[number];

const type = () => choice(PARTY_TYPES, { $id: "PartyType", "x-usage": "both" });

/** Who stands for something, as a body names it: `id` is left out for the agency and for the record's own client (assets §1). */
const Party = input("PartyRef", { type: type(), id: optional(nullable(uuid())) });
/** The same with its name. What is no longer there keeps its type, with an empty label. */
const PartyShown = answer("PartyReadRef", { type: type(), id: nullable(uuid()), label: line() });

export type SentParty = Static<typeof Party>;

/** A party in a body; null unsets it. */
export const partySent = () => optional(nullable(Party));
/** A party in an answer, null where none is set. */
export const partyRead = () => nullable(PartyShown);
