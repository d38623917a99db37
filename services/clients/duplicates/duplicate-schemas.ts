import { answer, choice, input, instant, integer, list, nullable, Type, uuid } from "../../../core/schema/schema.ts";

const reason = (id: string, kinds: readonly string[], about: string) =>
  answer(
    id,
    { field: choice(kinds), value: Type.String() },
    { field: about, value: "What both have, without case, accents, blanks and legal forms" },
  );

const PAIR = {
  score: "How likely the two are one, 1 to 100: the sum of what they share",
  reasons: "What the two share",
};
const PAGE = {
  items: "The likeliest pairs first. A merged or dismissed pair makes room for the next",
  total: "Number of all pairs that the caller sees",
};

const DuplicateCompany = answer(
  "DuplicateCompany",
  {
    id: uuid(),
    name: Type.String(),
    client_number: nullable(Type.String()),
    city: nullable(Type.String()),
    status: Type.String(),
    created_at: instant(),
  },
  {
    name: "Name of the client",
    client_number: "Its number; null without one",
    city: "Its town or city; null without one",
    status: "Its stage, such as `active`",
  },
);
const CompanyPair = answer(
  "CompanyDuplicatePair",
  {
    companies: list(DuplicateCompany),
    score: integer(1, 100),
    reasons: list(
      reason(
        "CompanyDuplicateReason",
        ["coc_number", "vat_number", "name", "email", "domain", "phone"],
        "What it is; `domain` is that of the website or of an invoice address, `name` also the legal name",
      ),
    ),
  },
  { ...PAIR, companies: "The two clients, the older one first" },
);
export const CompanyDuplicates = answer("CompanyDuplicates", { items: list(CompanyPair), total: integer(0) }, PAGE);

const DuplicateContact = answer(
  "DuplicateContact",
  {
    id: uuid(),
    first_name: Type.String(),
    last_name: nullable(Type.String()),
    email: nullable(Type.String()),
    phone: nullable(Type.String()),
    created_at: instant(),
  },
  {
    first_name: "First name",
    last_name: "Last name; null without one",
    email: "E-mail address; null without one",
    phone: "Phone number, E.164; null without one",
  },
);
const ContactPair = answer(
  "ContactDuplicatePair",
  {
    contacts: list(DuplicateContact),
    score: integer(1, 100),
    reasons: list(
      reason(
        "ContactDuplicateReason",
        ["email", "name", "phone", "company"],
        "What it is; `company` for a client of both, whose id is the value",
      ),
    ),
  },
  { ...PAIR, contacts: "The two contacts, the older one first" },
);
export const ContactDuplicates = answer("ContactDuplicates", { items: list(ContactPair), total: integer(0) }, PAGE);

const ids = { ids: Type.Array(uuid(), { minItems: 2, maxItems: 20, uniqueItems: true }) };
export const DuplicateDismissal = input("DuplicateDismissal", ids, {
  ids: "Records that are different: no pair of them is proposed again",
});
export const DuplicateDismissed = answer(
  "DuplicateDismissed",
  { dismissed: integer(0) },
  { dismissed: "Number of pairs that are no longer proposed; pairs that were dismissed before do not count" },
);
