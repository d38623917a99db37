import { namedValues } from "../../../core/naming/named-values.ts";
import { answer, choice, field, input, line, nullable, optional, type Static, uuid } from "../../../core/schema/schema.ts";

export const PARTY_TYPES = namedValues("PartyType", ["agency", "company", "employee", "contact"]);
export type PartyType = (typeof PARTY_TYPES)[number];

const type = () => choice(PARTY_TYPES);

/** A party in a body; `id` is omitted for the agency and for the record's own client (assets §1). */
const Party = input("PartyRef", {
  type: field(
    type(),
    "`agency` for the organisation, `company` for a client, `employee` for a member, `contact` for a contact person",
  ),
  id: field(
    optional(nullable(uuid())),
    "The client, account or contact. Leave it out for `agency`; without it, `company` is the record's own client",
  ),
});
/** A party with its name. A deleted one keeps its type, with an empty label. */
const PartyShown = answer("PartyReadRef", {
  type: field(
    type(),
    "`agency` for the organisation, `company` for a client, `employee` for a member, `contact` for a contact person",
  ),
  id: field(nullable(uuid()), "The client, account or contact; null for the agency and for the record's own client"),
  label: field(line(), "Its name; empty if it no longer exists"),
});

export type SentParty = Static<typeof Party>;

/** A party in a body; null unsets it. */
export const partySent = () => optional(nullable(Party));
/** A party in a response, null if unset. */
export const partyRead = () => nullable(PartyShown);
