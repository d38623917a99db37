import { createHash } from "node:crypto";
import { COMMON_WORDS } from "./companies.ts";
import { SIZES, type Side } from "./sides.ts";

/** One kind of request, identical for both sides. */
export interface Scenario {
  name: string;
  requests(side: Side): string[];
}

/** Parts of names that each occur in one company. */
const RARE_WORDS = Array.from({ length: 50 }, (_, index) => {
  const number = 1 + index * Math.floor(SIZES.large / 50);
  return createHash("md5").update(String(number)).digest("hex").slice(0, 6);
});

const company = {
  name: "Visser Techniek {n}",
  legal_name: "Visser Techniek {n} B.V.",
  phone: "+31205551234",
  vat_number: "NL000{n}B01",
  coc_number: "00{n}",
  postal_code: "1234 AB",
  city: "Utrecht",
  country: "NL",
  website: "https://www.company{n}.example.test",
  notes: `Notes about company {n}: ${"lorem ipsum dolor sit amet ".repeat(3)}`,
};

const search = (words: readonly string[]) => (side: Side) =>
  words.map((word) => side.request("large", "GET", `?limit=50&count=false&q=${word}`));

/** Reads first: writes enlarge the small organisation. */
export const scenarios: Scenario[] = [
  { name: "list", requests: (side) => [side.request("small", "GET", "?limit=50")] },
  { name: "list-large", requests: (side) => [side.request("large", "GET", "?limit=50&count=false")] },
  { name: "search-common", requests: search(COMMON_WORDS) },
  { name: "search-rare", requests: search(RARE_WORDS) },
  { name: "get", requests: (side) => side.ids.map((id) => side.request("small", "GET", `/${id}`)) },
  {
    name: "update",
    requests: (side) =>
      side.ids.map((id) => side.request("small", "PATCH", `/${id}`, { name: "Bakker Advies {n}", city: "Plaats {n}" })),
  },
  { name: "create", requests: (side) => [side.request("small", "POST", "", { ...company, client_number: "N{n}" })] },
  // The floor does not number, so this shows the cost of automatic numbering over `create`.
  { name: "create-numbered", requests: (side) => [side.request("small", "POST", "", company)] },
];
