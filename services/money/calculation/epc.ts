import { isIban, plainIban } from "../../../core/values/iban.ts";
import { type DecimalInput, decimal, formatDecimal } from "../../../core/values/money.ts";

const LONGEST_NAME = 70;
const LONGEST_TEXT = 140;
const LARGEST_PAYLOAD = 331;
const MOST = "999999999.99";

/** The data of a bank transfer. */
export interface Transfer {
  readonly currency: string;
  readonly outstanding: DecimalInput;
  /** The document's number. */
  readonly number: string;
  readonly seller: {
    readonly name?: string | null | undefined;
    readonly iban?: string | null | undefined;
    readonly bic?: string | null | undefined;
  };
}

/**
 * The text of an EPC code that prefills a credit transfer of the outstanding amount (EPC069-12 version 002; money §14 "EPC code"), at most
 * 331 bytes of UTF-8. Null without a code: not in euros, no seller or valid IBAN, nothing due or more than a transfer allows.
 */
export function epcPayload({ currency, outstanding, number, seller }: Transfer): string | null {
  const amount = decimal(outstanding);
  const iban = plainIban(seller.iban ?? "");
  const name = cut(oneLine(seller.name ?? ""), LONGEST_NAME);
  if (currency !== "EUR" || name === "" || !isIban(iban) || !amount.greaterThan(0) || amount.greaterThan(MOST)) return null;
  const bic = (seller.bic ?? "").replace(/\s/g, "").toUpperCase();
  const lines = [
    "BCD",
    "002",
    "1",
    "SCT",
    bic,
    name,
    iban,
    `EUR${formatDecimal(amount)}`,
    "",
    "",
    cut(oneLine(number), LONGEST_TEXT),
  ];
  const payload = lines.join("\n").replace(/\n+$/, "");
  return Buffer.byteLength(payload) <= LARGEST_PAYLOAD ? payload : null;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const cut = (text: string, length: number): string => [...text].slice(0, length).join("").trim();
