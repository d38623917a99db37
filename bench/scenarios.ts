import { COMMON_WORDS, NEW_COMPANY, rareWords } from "./companies.ts";
import { SIZES, type Side } from "./sides.ts";

/** One kind of request, identical for both sides. */
export interface Scenario {
  name: string;
  requests(side: Side): string[];
}

const search = (words: readonly string[]) => (side: Side) =>
  words.map((word) => side.request("large", "GET", `?limit=50&count=false&q=${word}`));

/** Reads first: writes enlarge the small organisation. */
export const scenarios: Scenario[] = [
  { name: "list", requests: (side) => [side.request("small", "GET", "?limit=50")] },
  { name: "list-large", requests: (side) => [side.request("large", "GET", "?limit=50&count=false")] },
  { name: "search-common", requests: search(COMMON_WORDS) },
  { name: "search-rare", requests: search(rareWords(SIZES.large)) },
  { name: "get", requests: (side) => side.ids.map((id) => side.request("small", "GET", `/${id}`)) },
  {
    name: "update",
    requests: (side) =>
      side.ids.map((id) => side.request("small", "PATCH", `/${id}`, { name: "Bakker Advies {n}", city: "Plaats {n}" })),
  },
  { name: "create", requests: (side) => [side.request("small", "POST", "", { ...NEW_COMPANY, client_number: "N{n}" })] },
  // The floor does not number, so this shows the cost of automatic numbering over `create`.
  { name: "create-numbered", requests: (side) => [side.request("small", "POST", "", NEW_COMPANY)] },
];
