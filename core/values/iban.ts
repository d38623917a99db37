const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** An account number without spaces, in upper case. */
export const plainIban = (text: string): string => text.replace(/\s/g, "").toUpperCase();

/** Whether `text`, ignoring spaces, is an IBAN by form and check digits (ISO 13616: remainder 1 modulo 97). */
export function isIban(text: string): boolean {
  const iban = plainIban(text);
  if (!IBAN.test(iban)) return false;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}
