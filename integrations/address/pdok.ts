import { runtime } from "../../core/config/runtime.ts";
import { provider } from "../../core/outbound/provider/provider.ts";
import type { AddressProvider, AddressQuestion, Suggestion } from "./address.ts";

/** Longest duration of a call in all, in milliseconds. */
const TIMEOUT = 4000;
/** Five documents of four short fields are a few hundred bytes; anything far larger does not answer our query. */
const MOST_BYTES = 256 * 1024;
const MOST_ROWS = 5;

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** Maps search documents to suggestions, without those lacking street or city. */
function suggestionsOf(answer: unknown): Suggestion[] {
  const { docs } = (answer as { response: { docs: unknown } }).response;
  if (!Array.isArray(docs)) throw new Error("the answer contains no documents");
  return docs
    .map((doc: Record<string, unknown> | null) => ({
      street: textOf(doc?.["straatnaam"]),
      house_number: textOf(doc?.["huis_nlt"]),
      postal_code: textOf(doc?.["postcode"]),
      city: textOf(doc?.["woonplaatsnaam"]),
      country: "NL",
    }))
    .filter(({ street, city }) => street !== "" && city !== "")
    .slice(0, MOST_ROWS);
}

const client = provider({
  kind: "address",
  baseUrl: () => runtime().config.addressApiUrl,
  connectTimeout: TIMEOUT,
  readTimeout: TIMEOUT,
  wholeTimeout: TIMEOUT,
  mostBytes: MOST_BYTES,
  repeats: false,
});

/** PDOK Locatieserver, the free search of the Dutch address register. It needs no key or account. */
export const pdok: AddressProvider = {
  async find({ postalCode, houseNumber }: AddressQuestion) {
    const answer = await client.call({
      account: "instance",
      operation: "free",
      path: "/free",
      query: {
        q: `postcode:${postalCode} and huisnummer:${houseNumber}`,
        fq: "type:adres",
        fl: "straatnaam huis_nlt postcode woonplaatsnaam",
        rows: String(MOST_ROWS),
      },
    });
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    return suggestionsOf(answer.json());
  },
};
