import { query, queryOne } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImpexEntity, ImportRows, Opened, Outcome } from "../../../core/impex/entity.ts";
import type { Field } from "../../../core/impex/field.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { readInstant } from "../../../core/schema/schema.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { formatAmount } from "../../../core/values/money.ts";
import type { TldPriceRow } from "../tld-prices/models.ts";
import { normaliseTld, shownTld } from "../tld-prices/tld-name.ts";
import { TldPriceUpsert } from "../tld-prices/tld-schemas.ts";
import { storePrice } from "../tld-prices/tld-writes.ts";

/** The columns of a TLD price spreadsheet, with their Dutch, English and German headers. */
const COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  { key: "tld", kind: "text", required: true, names: ["extensie", "domeinextensie", "extension", "domain extension", "endung"] },
  {
    key: "amount",
    kind: "number",
    required: true,
    names: ["prijs", "bedrag", "tarief", "price", "renewal price", "yearly price", "prijs per jaar", "preis", "betrag"],
  },
  { key: "currency", kind: "text", names: ["valuta", "munteenheid", "währung"] },
  {
    key: "valid_from",
    kind: "date",
    names: ["geldig vanaf", "vanaf", "ingangsdatum", "from", "starting", "gültig ab", "ab"],
  },
];

const COUNTED = "id, tld, amount::text as amount, currency, valid_from";
const HELD = statement(`select ${COUNTED} from tld_prices where organisation_id = $1
  and (tld = any($2::text[]) or id = any($3::uuid[])) order by id for no key update`);
const IDS = statement(`select coalesce(json_agg(id order by tld, valid_from, id), '[]') as ids from tld_prices
  where organisation_id = $1 and ($2::timestamptz is null or updated_at >= $2)`);
const ROWS = statement(`select p.id, p.tld, p.amount::text as amount, p.currency, p.valid_from
  from unnest($2::uuid[]) with ordinality w(id, n) join tld_prices p on p.organisation_id = $1 and p.id = w.id order by w.n`);

const check: CheckFor<typeof TldPriceUpsert> = compileBody(TldPriceUpsert, true);

type StoredPrice = Pick<TldPriceRow, "id" | "tld" | "amount" | "currency" | "valid_from">;

async function open(rows: ImportRows): Promise<Opened> {
  const { organisation } = request();
  const today = organisationToday();
  /** The TLD and day of a row, the unique key of a price. */
  const keyOf = ({ tld, valid_from = today }: Values): string => `${normaliseTld((tld as string) ?? "")} ${valid_from}`;
  const all = await Array.fromAsync(rows);
  const tlds = new Set(all.flatMap(({ tld }) => normaliseTld((tld as string) ?? "") ?? []));
  const given = all.flatMap(({ id }) => (id as string | undefined) ?? []);
  const held = await query<StoredPrice>(HELD, [organisation.id, [...tlds], given]);
  const byKey = new Map(held.map((row) => [keyOf(row as unknown as Values), row]));
  const byId = new Map(held.map((row) => [row.id, row]));
  const times = Map.groupBy(all, keyOf);

  return {
    async write(index): Promise<Outcome> {
      const row = rows.at(index);
      const { id, currency, tld, amount, valid_from } = row as Record<string, string | undefined>;
      const before = byKey.get(keyOf(row));
      const named = id === undefined ? undefined : byId.get(id);
      if ((times.get(keyOf(row)) ?? []).length > 1) return { valid_from: "errors.duplicate" };
      // A price can change only on its own day.
      if (named && named !== before) return { id: "errors.conflict" };
      const own = before?.currency ?? organisation.currency;
      if (currency !== undefined && currency.trim().toUpperCase() !== own) return { currency: "errors.validation" };
      try {
        const body: Values = { tld, amount, valid_from };
        check(body);
        if (before && before.amount === formatAmount(body["amount"] as string)) return "unchanged";
        storePrice(body as never);
        return before ? "updated" : "created";
      } catch (error) {
        return refusedBy(error);
      }
    },
  };
}

/** Yearly domain prices, by TLD and day. */
export const tldPrice: ImpexEntity = {
  name: "tld_price",
  plural: "tld-prices",
  read: "domains.tld_price.read",
  write: "domains.tld_price.manage",
  fields: COLUMNS,
  matching:
    "Rows match on tld and valid_from, today if the file has none: that day's price is corrected, all others stay. currency is for information only.",
  open,
  filters: {},
  async ids({ updated_since: since }) {
    const values = [request().organisation.id, since === undefined ? null : readInstant(since as string)];
    return (await queryOne<{ ids: string[] }>(IDS, values))?.ids ?? [];
  },
  rows: async (wanted) => (await query<StoredPrice>(ROWS, [request().organisation.id, wanted])).map(shownTld),
};
