/** A suggested address. */
export interface Suggestion {
  street: string;
  house_number: string;
  postal_code: string;
  city: string;
  country: string;
}

/** A provider's query: the postal code as `1234AB`, and the house number without letter or addition. */
export interface AddressQuestion {
  postalCode: string;
  houseNumber: string;
}

/** A source of Dutch addresses. */
export interface AddressProvider {
  /** Addresses of the postal code and number, best first. @throws any outside failure; the caller answers without suggestions */
  find(question: AddressQuestion): Promise<Suggestion[]>;
}

/** The query for a user's input, or null if it cannot be a Dutch address (clients chapter §6). */
export function questionOf(postalCode: string, houseNumber: string): AddressQuestion | null {
  const [, digits, letters] = /^([1-9][0-9]{3}) ?([a-z]{2})$/i.exec(postalCode.trim()) ?? [];
  const [number] = /^[0-9]+/.exec(houseNumber.trim()) ?? [];
  return digits && letters && number ? { postalCode: `${digits}${letters.toUpperCase()}`, houseNumber: number } : null;
}

const squeezed = (houseNumber: string): string => houseNumber.replace(/\s+/g, "").toLowerCase();

/** Moves suggestions with exactly the typed house number to the front; otherwise the order stays. */
export function closestFirst(suggestions: readonly Suggestion[], houseNumber: string): Suggestion[] {
  const typed = squeezed(houseNumber);
  const distance = ({ house_number: number }: Suggestion) => (squeezed(number) === typed ? 0 : 1);
  return suggestions.toSorted((one, other) => distance(one) - distance(other));
}
