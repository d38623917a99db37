import type { AddressProvider, AddressQuestion, Suggestion } from "./address.ts";

/** Time a call may take in all, in milliseconds. */
const TIMEOUT = 4000;
/** Five documents of four short fields are a few hundred bytes; what is far larger is no answer to our question. */
const MOST_BYTES = 256 * 1024;
const MOST_ROWS = 5;

/** @throws Error when the body is larger than we are willing to hold */
async function limitedText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > MOST_BYTES) throw new Error(`the answer is larger than ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** Documents of the search as suggestions; one without street or city is none. */
function suggestionsOf(answer: unknown): Suggestion[] {
  const { docs } = (answer as { response: { docs: unknown } }).response;
  if (!Array.isArray(docs)) throw new Error("the answer holds no documents");
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

/**
 * PDOK Locatieserver, the free search of the Dutch register of addresses. It takes no key.
 * @param baseUrl where `/free` is found
 */
export const pdok = (baseUrl: string): AddressProvider => ({
  async find({ postalCode, houseNumber }: AddressQuestion) {
    const query = new URLSearchParams({
      q: `postcode:${postalCode} and huisnummer:${houseNumber}`,
      fq: "type:adres",
      fl: "straatnaam huis_nlt postcode woonplaatsnaam",
      rows: String(MOST_ROWS),
    });
    const response = await fetch(`${baseUrl}/free?${query}`, {
      headers: { Accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`status ${response.status}`);
    }
    return suggestionsOf(JSON.parse(await limitedText(response)));
  },
});
