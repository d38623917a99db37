import { randomInt } from "node:crypto";

const DIGITS = 12;

/** Generates a PIN: twelve random digits, also in groups of four for display. */
export function newPin(): { pin: string; shown: string } {
  const pin = Array.from({ length: DIGITS }, () => randomInt(10)).join("");
  return { pin, shown: pin.replace(/\d{4}(?=\d)/g, "$&-") };
}

/** Normalises an entered PIN, without dashes and spaces; null if invalid. */
export function readPin(typed: string): string | null {
  const pin = typed.replace(/[\s\p{Pd}]/gu, "");
  return /^\d{12}$/.test(pin) ? pin : null;
}
