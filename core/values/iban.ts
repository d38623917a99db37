const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** An account number without spaces, in capitals. */
export const plainIban = (text: string): string => text.replace(/\s/g, "").toUpperCase();

/** Whether `text`, spaces aside, is an IBAN by its form and its check digits (ISO 13616: the remainder by 97 is 1). */
export function isIban(text: string): boolean {
  const iban = plainIban(text);
  if (!IBAN.test(iban)) return false;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}
