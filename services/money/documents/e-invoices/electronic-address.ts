/** A party's address in the Peppol network: a scheme from its code list of electronic addresses, and the number within it. */
export interface ElectronicAddress {
  readonly scheme: string;
  readonly id: string;
}

/** The data that determines a party's address; the VAT number includes its country code. */
export interface Registered {
  readonly country: string;
  readonly vat: string | null;
  readonly coc: string | null;
}

/** Schemes of VAT numbers, by country. */
const VAT_SCHEMES: Readonly<Record<string, string>> = {
  AD: "9922",
  AL: "9923",
  AT: "9914",
  BA: "9924",
  BE: "9925",
  BG: "9926",
  CH: "9927",
  CY: "9928",
  CZ: "9929",
  DE: "9930",
  EE: "9931",
  ES: "9920",
  FI: "0213",
  FR: "9957",
  GB: "9932",
  GR: "9933",
  HR: "9934",
  HU: "9910",
  IE: "9935",
  LI: "9936",
  LT: "9937",
  LU: "9938",
  LV: "9939",
  MC: "9940",
  ME: "9941",
  MK: "9942",
  MT: "9943",
  NL: "9944",
  PL: "9945",
  PT: "9946",
  RO: "9947",
  RS: "9948",
  SI: "9949",
  SK: "9950",
  SM: "9951",
  TR: "9952",
  VA: "9953",
};

/** National register numbers that take precedence over VAT numbers or replace them. */
const REGISTERS: Readonly<Record<string, (party: Registered) => ElectronicAddress | null>> = {
  NL: ({ coc }) => found("0106", digitsOf(coc), (digits) => digits.length === 8),
  BE: ({ vat, coc }) => found("0208", digitsOf(vat) || digitsOf(coc), isEnterpriseNumber),
  DK: ({ vat, coc }) => found("0184", `DK${digitsOf(vat) || digitsOf(coc)}`, (id) => /^DK\d{8}$/.test(id)),
  IT: ({ vat }) => found("0211", vat ?? "", (id) => /^IT\d{11}$/.test(id) && passesLuhn(id.slice(2))),
  NO: ({ vat, coc }) => found("0192", digitsOf(vat) || digitsOf(coc), isNorwegianNumber),
  SE: ({ vat, coc }) => found("0007", digitsOf(coc) || digitsOf(vat).slice(0, 10), isSwedishNumber),
};

/** A party's e-invoice address, from the register of its country, else from its VAT number; null without either. */
export function electronicAddress(party: Registered): ElectronicAddress | null {
  const registered = REGISTERS[party.country]?.(party);
  if (registered) return registered;
  const scheme = VAT_SCHEMES[party.country];
  return scheme && party.vat ? { scheme, id: party.vat } : null;
}

const digitsOf = (text: string | null): string => (text ?? "").replace(/\D/g, "");

const found = (scheme: string, id: string, isValid: (id: string) => boolean): ElectronicAddress | null =>
  isValid(id) ? { scheme, id } : null;

/** A Belgian enterprise number: 10 digits, the last two are 97 minus the rest modulo 97. */
const isEnterpriseNumber = (id: string): boolean =>
  /^[01]\d{9}$/.test(id) && 97 - (Number(id.slice(0, 8)) % 97) === Number(id.slice(8));

/** A Norwegian organisation number: 9 digits, the last a modulo 11 check digit. */
function isNorwegianNumber(id: string): boolean {
  if (!/^\d{9}$/.test(id)) return false;
  const weighed = [3, 2, 7, 6, 5, 4, 3, 2].reduce((total, weight, index) => total + weight * Number(id[index]), 0);
  return (11 - (weighed % 11)) % 11 === Number(id[8]);
}

/** A Swedish organisation number: 10 digits, the last a Luhn check digit. */
export const isSwedishNumber = (id: string): boolean => /^\d{10}$/.test(id) && passesLuhn(id);

/** Whether the last digit is the Luhn check digit of the others. */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
