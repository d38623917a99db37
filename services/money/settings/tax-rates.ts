import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { DecimalText } from "../../../core/values/money.ts";
import type { TaxCategory } from "../calculation/groups.ts";
import { unknownReference } from "../refusals.ts";
import type { Labels } from "./models.ts";
import { lockSettings } from "./settings-rows.ts";
import { seededRates } from "./tax-seeds.ts";

/** The tax frozen on a line (money §2). */
export interface FrozenTax {
  /** Null if the line has no rate from the catalogue. */
  readonly tax_rate_id: string | null;
  /** Percentage, 2 decimals. */
  readonly tax_rate_pct: DecimalText;
  readonly tax_category: TaxCategory;
  /** The label in the document's locale. */
  readonly tax_name: string;
}

/** A line's tax if the organisation has no rates (money §2). */
const WITHOUT_RATE: FrozenTax = { tax_rate_id: null, tax_rate_pct: "0.00", tax_category: "standard", tax_name: "" };

/** The language of a locale in lower case: `nl` for `nl-BE`. */
const languageOf = (locale: string): string => locale.toLowerCase().replace(/[-_].*/, "");

/** A label in a locale or its language, else in English, else in Dutch, else in any language, else empty (money §2). */
export const labelIn = (labels: Labels, locale: string): string =>
  [labels[locale], labels[languageOf(locale)], labels["en"], labels["nl"], ...Object.values(labels)].find(
    (label) => label !== undefined && label !== "",
  ) ?? "";

interface Rate {
  readonly id: string | null;
  readonly rate: DecimalText;
  readonly category: TaxCategory;
  readonly label_i18n: Labels;
  /** Whether lines without a rate get it: the default of the settings, else the active default of the catalogue. */
  readonly is_usual: boolean;
}

/** The requested rates and the default; a row without an id shows that the catalogue is not empty. */
const RATES = statement(`with usual as (
    select coalesce((select s.default_tax_rate_id from invoicing_settings s where s.organisation_id = $1),
      (select d.id from tax_rates d where d.organisation_id = $1 and d.is_default and d.active)) as id)
  select r.id, r.rate::text as rate, r.category, r.label_i18n, coalesce(r.id = usual.id, false) as is_usual
    from usual join tax_rates r on r.organisation_id = $1 and (r.id = usual.id or r.id = any($2::uuid[]))
  union all select null, null, null, null, false where exists (select 1 from tax_rates where organisation_id = $1)`);
/** Checks again: of two callers that find the catalogue empty, the second waits for the settings lock of the first. */
const SEED = statement(`insert into tax_rates (id, organisation_id, label_i18n, rate, category, country, is_default, position)
  select t.id, $1, t.label_i18n, t.rate, t.category, t.country, t.is_default, t.position
  from jsonb_to_recordset($2::jsonb) t (id uuid, label_i18n jsonb, rate numeric, category text, country text, is_default boolean, position int)
  where not exists (select 1 from tax_rates o where o.organisation_id = $1)`);

/** Fills an empty catalogue with the rates of the organisation's tax country (money §1). Needs an action that writes. */
export async function seedTaxRates(): Promise<void> {
  const { tax_country } = await lockSettings();
  const rows = seededRates(tax_country).map((rate) => ({ id: newId(), ...rate }));
  enqueue(SEED, [request().organisation.id, JSON.stringify(rows)]);
}

const frozen = ({ id, rate, category, label_i18n }: Rate, locale: string): FrozenTax => ({
  tax_rate_id: id,
  tax_rate_pct: rate,
  tax_category: category,
  tax_name: labelIn(label_i18n, locale),
});

/**
 * The frozen tax of lines, in the order of `ids` (money §2): the named rate, active or not; for null or undefined the default of the
 * settings, else the active default of the catalogue, else no rate. A document write fills an empty catalogue first (money §1). One
 * statement for any number of lines.
 * @param locale the document's, for the name
 * @throws 400 `lines: errors.not_found` for a rate of another organisation
 */
export async function taxRatesFor(ids: readonly (string | null | undefined)[], locale: string): Promise<FrozenTax[]> {
  const { organisation, mode } = request();
  const named = [...new Set(ids.flatMap((id) => (id ? [id.toLowerCase()] : [])))];
  let rows = await query<Rate>(RATES, [organisation.id, named]);
  if (rows.length === 0 && mode === "write") {
    await seedTaxRates();
    rows = await query<Rate>(RATES, [organisation.id, named]);
  }
  const rates = new Map(rows.filter(({ id }) => id !== null).map((rate) => [rate.id, frozen(rate, locale)]));
  if (!named.every((id) => rates.has(id))) throw unknownReference("lines");
  const usual = rows.find(({ is_usual }) => is_usual);
  const unnamed = usual ? frozen(usual, locale) : WITHOUT_RATE;
  return ids.map((id) => (id ? (rates.get(id.toLowerCase()) as FrozenTax) : unnamed));
}

/** The frozen tax of a line without a rate (money §2). */
export async function defaultTaxRate(locale: string): Promise<FrozenTax> {
  const [tax] = await taxRatesFor([null], locale);
  return tax as FrozenTax;
}
