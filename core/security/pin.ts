import { randomInt } from "node:crypto";

const DIGITS = 12;

/** A new PIN: twelve random digits, in groups of four as people read them. */
export function newPin(): { pin: string; shown: string } {
  const pin = Array.from({ length: DIGITS }, () => randomInt(10)).join("");
  return { pin, shown: pin.replace(/\d{4}(?=\d)/g, "$&-") };
}

/** A PIN as typed, without dashes and spaces; null for what can be none. */
export function readPin(typed: string): string | null {
  const pin = typed.replace(/[\s\p{Pd}]/gu, "");
  return /^\d{12}$/.test(pin) ? pin : null;
}
