import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Labels } from "../settings/models.ts";
import { labelIn } from "../settings/tax-rates.ts";

const RATES = statement("select id, label_i18n, rate::text as rate, active from tax_rates where organisation_id = $1");

interface Rate {
  readonly id: string;
  readonly label_i18n: Labels;
  readonly rate: string;
  readonly active: boolean;
}

/** Comparison form: trimmed and lower case. */
const bare = (word: string): string => word.trim().toLowerCase();
const PERCENTAGE = /^(\d{1,3}(?:[.,]\d{1,2})?)\s*%?$/;

/** Resolves tax rates by the words in spreadsheet cells. */
export class NamedTaxRates {
  readonly #rates: readonly Rate[];
  readonly #locale: string;

  private constructor(rates: readonly Rate[], locale: string) {
    this.#rates = rates;
    this.#locale = locale;
  }

  /** Reads the catalogue of the running organisation. */
  static async open(): Promise<NamedTaxRates> {
    const { id, locale } = request().organisation;
    return new NamedTaxRates(await query<Rate>(RATES, [id]), locale);
  }

  /**
   * The id of the rate in a cell: by id, by a label in any language, or by percentage. Of several matches, the only active one wins;
   * undefined for none or several.
   */
  idOf(word: string): string | undefined {
    const [, percentage] = PERCENTAGE.exec(word.trim()) ?? [];
    const fits = [
      ({ id }: Rate) => id === bare(word),
      ({ label_i18n }: Rate) => Object.values(label_i18n).some((label) => bare(label) === bare(word)),
      ({ rate }: Rate) => percentage !== undefined && Number(rate) === Number(percentage.replace(",", ".")),
    ];
    for (const fit of fits) {
      const found = this.#rates.filter(fit);
      const active = found.filter((rate) => rate.active);
      const [only, ...more] = found.length > 1 ? active : found;
      if (found.length > 0) return more.length === 0 ? only?.id : undefined;
    }
    return undefined;
  }

  /** The unambiguous name of a rate: its label in the organisation's language, else its id. */
  wordOf(id: string): string {
    const found = this.#rates.find((rate) => rate.id === id);
    const label = found ? labelIn(found.label_i18n, this.#locale) : "";
    return label !== "" && this.idOf(label) === id ? label : id;
  }

  /** The names of all rates. */
  get words(): string[] {
    return this.#rates.map(({ id }) => this.wordOf(id));
  }
}
