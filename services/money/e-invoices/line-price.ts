import { type Decimal, type DecimalText, decimal, formatDecimal, roundHalfUp } from "../../../core/values/money.ts";
import { formatPrice } from "../calculation/totals.ts";

/** Most decimals of a price. */
const MOST_DECIMALS = 10;

/** How a line shows its net: quantity × price ÷ base quantity. Prices are never negative; the quantity has the sign of the net. */
export interface LinePrice {
  readonly quantity: DecimalText;
  readonly price: DecimalText;
  /** Of how many units the price is; null is of one. */
  readonly base_quantity: DecimalText | null;
}

/**
 * The price an e-invoice shows (money §15 "Lines"): |net ÷ quantity| with as few decimals as bring the product back to the net exactly.
 * Where 10 do not, the price is the net itself for the whole quantity.
 * @param unitPrice shown where the quantity is 0
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

/** Words for an hour in the languages of the organisations, as people write them on a line. */
const HOURS = new Set(
  (
    "h hr hrs hour hours u uur uren uurtje std stunde stunden heure heures hora horas ora ore time timer timme timmar tim " +
    "tunti tuntia godz godzina godziny godzin hodina hodiny hodin óra ώρα ώρες час valanda stundas tund ură ure ura"
  ).split(" "),
);

/** The unit of UN/ECE Recommendation 20 a line is counted in: hours where its unit is a word for them, else pieces (money §15). */
export function unitCode(unit: string | null): "HUR" | "C62" {
  return HOURS.has((unit ?? "").trim().toLowerCase().replace(/\.$/, "")) ? "HUR" : "C62";
}
