/** An address as it is suggested. */
export interface Suggestion {
  street: string;
  house_number: string;
  postal_code: string;
  city: string;
  country: string;
}

/** What a provider is asked: the postal code as `1234AB`, and the house number without letter or addition. */
export interface AddressQuestion {
  postalCode: string;
  houseNumber: string;
}

/** A source of Dutch addresses. */
export interface AddressProvider {
  /** Addresses of the postal code and number, best first. @throws whatever went wrong outside; the caller answers without suggestions */
  find(question: AddressQuestion): Promise<Suggestion[]>;
}

/** What to ask for the texts a user typed, or null where no Dutch address can be meant (clients chapter §6). */
export function questionOf(postalCode: string, houseNumber: string): AddressQuestion | null {
  const [, digits, letters] = /^([1-9][0-9]{3}) ?([a-z]{2})$/i.exec(postalCode.trim()) ?? [];
  const [number] = /^[0-9]+/.exec(houseNumber.trim()) ?? [];
  return digits && letters && number ? { postalCode: `${digits}${letters.toUpperCase()}`, houseNumber: number } : null;
}

const squeezed = (houseNumber: string): string => houseNumber.replace(/\s+/g, "").toLowerCase();

/** Those with exactly the typed house number first; otherwise the order stays. */
export function closestFirst(suggestions: readonly Suggestion[], houseNumber: string): Suggestion[] {
  const typed = squeezed(houseNumber);
  const distance = ({ house_number: number }: Suggestion) => (squeezed(number) === typed ? 0 : 1);
  return suggestions.toSorted((one, other) => distance(one) - distance(other));
}
