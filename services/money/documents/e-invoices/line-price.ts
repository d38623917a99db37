import { type Decimal, type DecimalText, decimal, formatDecimal, roundHalfUp } from "../../../../core/values/money.ts";
import { formatPrice } from "../../calculation/totals.ts";

/** Maximum decimals of a price. */
const MOST_DECIMALS = 10;

/** The price part of a line: net = quantity × price ÷ base quantity. Prices are never negative; the quantity has the sign of the net. */
export interface LinePrice {
  readonly quantity: DecimalText;
  readonly price: DecimalText;
  /** The number of units the price is for; null for one. */
  readonly base_quantity: DecimalText | null;
}

/**
 * The price on an e-invoice (money §15 "Lines"): |net ÷ quantity| with the fewest decimals whose product is exactly the net. If 10 decimals
 * are not enough, the price is the net for the whole quantity.
 * @param unitPrice shown when the quantity is 0
 */
export function linePrice(net: Decimal, quantity: DecimalText, unitPrice: DecimalText): LinePrice {
  const size = decimal(quantity).abs();
  const amount = net.abs();
  const shown = formatPrice(net.lessThan(0) ? size.negated() : size);
  if (size.isZero()) return { quantity: shown, price: formatPrice(decimal(unitPrice).abs()), base_quantity: null };
  for (let places = 2; places <= MOST_DECIMALS; places++) {
    const price = roundHalfUp(amount.dividedBy(size), places);
    if (price.times(size).equals(amount)) return { quantity: shown, price: price.toFixed(places), base_quantity: null };
  }
  return { quantity: shown, price: formatDecimal(amount), base_quantity: formatPrice(size) };
}

/** Common words for an hour, in the organisations' languages. */
const HOURS = new Set(
  (
    "h hr hrs hour hours u uur uren uurtje std stunde stunden heure heures hora horas ora ore time timer timme timmar tim " +
    "tunti tuntia godz godzina godziny godzin hodina hodiny hodin óra ώρα ώρες час valanda stundas tund ură ure ura"
  ).split(" "),
);

/** The unit of a line by UN/ECE Recommendation 20: hours if its unit is a word for them, else pieces (money §15). */
export function unitCode(unit: string | null): "HUR" | "C62" {
  return HOURS.has((unit ?? "").trim().toLowerCase().replace(/\.$/, "")) ? "HUR" : "C62";
}
