import { activeDefinitions } from "../../../../core/custom-fields/definitions.ts";
import type { CustomValues } from "../../../../core/custom-fields/values.ts";
import { columns } from "../../../../core/database/model.ts";
import { query } from "../../../../core/database/query.ts";
import type { Values } from "../../../../core/database/write.ts";
import { mergedCustom, newValues } from "../../../../core/impex/changes.ts";
import type { ImpexEntity, ImportRows, Opened, Outcome, Refused } from "../../../../core/impex/entity.ts";
import { exportedIds } from "../../../../core/impex/exported-ids.ts";
import { askedIds, type Identified, knownIds, rememberedId } from "../../../../core/impex/identity.ts";
import { refusedBy } from "../../../../core/impex/import.ts";
import { type Match, matchRows, namesakesAmong, sameName } from "../../../../core/impex/matching.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { type CheckFor, compileBody } from "../../../../core/schema/validation.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { Price } from "../../../../core/values/prices.ts";
import { clientWord, type Named, NamedClients } from "../../../../mixins/named/named-clients.ts";
import { Subscription, type SubscriptionRow } from "../models.ts";
import { amountAt } from "../prices.ts";
import { subscriptionFilters, subscriptionListing, subscriptionQuery, visibleSubscription } from "../subscription.list.ts";
import { SubscriptionCreate, SubscriptionUpdate } from "../subscription-schemas.ts";
import { changeSubscription, createSubscription } from "../subscription-writes.ts";
import { SUBSCRIPTION_COLUMNS } from "./subscription-columns.ts";

const TYPES = statement(`select id, array[id::text, key] || array(select v from jsonb_each_text(label_i18n) l(k, v)) as words
  from subscription_types where organisation_id = $1 order by id for key share`);
const TEMPLATES = statement(`select id, array[id::text, name] as words from subscription_templates where organisation_id = $1
  order by id for key share`);

/** Resolves the names in a file to types and presets: a type by key or label, a preset by name, both by id. */
class NamedPresets {
  readonly #words: Map<string, Set<string>>;

  private constructor(rows: readonly { id: string; words: readonly string[] }[]) {
    this.#words = new Map();
    for (const { id, words } of rows)
      for (const word of words.map(sameName)) this.#words.set(word, (this.#words.get(word) ?? new Set()).add(id));
  }

  /** Loads all of them in one statement: there are few. */
  static async open(kind: "type" | "template"): Promise<NamedPresets> {
    return new NamedPresets(await query(kind === "type" ? TYPES : TEMPLATES, [request().organisation.id]));
  }

  of(word: string): Named {
    const [only, other] = this.#words.get(sameName(word.trim())) ?? [];
    if (only === undefined) return { error: "impex.errors.unresolved_reference" };
    return other === undefined ? { id: only } : { error: "impex.errors.ambiguous_match" };
  }
}

const SEEN = `($3::uuid[] is null or ${visibleSubscription("$3::uuid[]")})`;
const BY_ID = statement(`select t.id, t.name, t.company_id, ${SEEN} as is_visible from unnest($2::uuid[]) w(id)
  join subscriptions t on t.organisation_id = $1 and t.id = w.id order by t.id for no key update of t`);
const BY_NAME = statement(`select t.id, t.name, t.company_id, true as is_visible from unnest($2::text[]) w(name)
  join subscriptions t on t.organisation_id = $1 and t.name collate kantoor_text = w.name where ${SEEN} order by t.id for no key update of t`);
const ROWS = statement(`select ${columns(Subscription, "t")}, (select ${clientWord("$3::uuid[]")} from companies c
      where c.organisation_id = t.organisation_id and c.id = t.company_id) as company,
    (select y.key from subscription_types y where y.organisation_id = t.organisation_id and y.id = t.subscription_type_id) as type,
    (select m.name from subscription_templates m where m.organisation_id = t.organisation_id and m.id = t.subscription_template_id)
      as template,
    (select coalesce(json_agg(json_build_object('amount', p.amount::text, 'valid_from', p.valid_from)), '[]') from subscription_prices p
      where p.organisation_id = t.organisation_id and p.subscription_id = t.id) as prices
  from unnest($2::uuid[]) with ordinality w(id, n) join subscriptions t on t.organisation_id = $1 and t.id = w.id order by w.n`);
const ids = exportedIds(subscriptionListing.spec, 't.name collate "C", t.created_at, t.id');

const checkCreate: CheckFor<typeof SubscriptionCreate> = compileBody(SubscriptionCreate, true);
const checkUpdate: CheckFor<typeof SubscriptionUpdate> = compileBody(SubscriptionUpdate, false);

type StoredAgreement = Identified & { name: string; company_id: string };
type StoredRow = SubscriptionRow & { amount: string };

/** StoredAgreement agreements as exported, with today's price. */
async function readRows(wanted: readonly string[]): Promise<(Values & StoredRow)[]> {
  const { organisation, principal } = request();
  const values = [organisation.id, wanted, principal?.selection ?? null];
  const found = await query<Values & SubscriptionRow & { prices: readonly Price[] }>(ROWS, values);
  const today = organisationToday();
  return found.map(({ prices, ...row }) => ({ ...row, amount: amountAt(prices, today) }) as Values & StoredRow);
}

/** The words that name a row's client, most specific first, each with its column. */
const clientWords = (row: Values): { column: string; word: string }[] =>
  ["company", "company_name"].flatMap((column) => {
    const word = row[column] as string | undefined;
    return word === undefined ? [] : [{ column, word: word.trim() }];
  });

/** The client of a row and the column that names it; null when the row names none. */
function clientOf(row: Values, clients: NamedClients): (Named & { column: string }) | null {
  const named = clientWords(row).map(({ column, word }) => ({ ...clients.of(word), column }));
  return named.find((one) => "id" in one) ?? named.at(-1) ?? null;
}

/** The lookup key of an agreement's name, within its client if the row names one. */
const keyOf = (name: string, companyId = ""): string => sameName(`${companyId} ${name}`);

/** Matches rows with stored agreements and locks those: by id, then by a name that is unambiguous within the client. */
async function match(rows: ImportRows, clients: NamedClients) {
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const names = new Set<string>();
  const identities = await Array.fromAsync(rows, (row) => {
    const [id, name] = [row["id"], row["name"]] as (string | undefined)[];
    const client = clientOf(row, clients);
    if (name !== undefined) names.add(sameName(name));
    return {
      id,
      number: undefined,
      name: name === undefined ? undefined : keyOf(name, client && "id" in client ? client.id : ""),
    };
  });
  const given = [...new Set(identities.flatMap(({ id }) => id ?? []))];
  const byIds = await query<StoredAgreement>(BY_ID, [organisation.id, askedIds("subscription", given), selection]);
  const { byId, hidden } = knownIds("subscription", given, byIds);
  const named = await query<StoredAgreement>(BY_NAME, [organisation.id, [...names], selection]);
  const byName = Map.groupBy(
    named.flatMap((one) => [keyOf(one.name), keyOf(one.name, one.company_id)].map((key) => ({ key, one }))),
    ({ key }) => key,
  );
  const found = new Map([...byName].map(([key, list]) => [key, list.map(({ one }) => one)]));
  return { matches: await matchRows<StoredAgreement>(identities, { byId, byNumber: new Map(), byName: found }), hidden };
}

const OWN = new Set(
  SUBSCRIPTION_COLUMNS.map(({ key }) => key).filter(
    (key) => !["id", "company", "company_name", "type", "template"].includes(key),
  ),
);
const WHOLE = ["interval_count", "notice_period_days"];
/** The file columns that report errors of body fields. */
const COLUMN_OF: Readonly<Record<string, string>> = {
  company_id: "company",
  subscription_type_id: "type",
  subscription_template_id: "template",
};

/** The errors of a row, by its columns. */
const asColumns = (refused: Refused): Refused =>
  Object.fromEntries(Object.entries(refused).map(([field, error]) => [COLUMN_OF[field] ?? field, error]));

async function open(rows: ImportRows): Promise<Opened> {
  const words = await Array.fromAsync(rows, (row) => clientWords(row).map(({ word }) => word));
  const clients = await NamedClients.open(new Set(words.flat()));
  const presets = { type: await NamedPresets.open("type"), template: await NamedPresets.open("template") };
  const { matches, hidden } = await match(rows, clients);
  let stored = new Map<string, Values & StoredRow>();

  const changed = (index: number): string | undefined => {
    const found = matches[index] as Match<StoredAgreement>;
    return "change" in found ? found.change.id : undefined;
  };

  /** The values of a row as a body, or its unresolved references. */
  function bodyOf(row: Values): { values: Values } | { refused: Refused } {
    const values = Object.fromEntries(Object.entries(row).filter(([key]) => OWN.has(key) || key === "custom"));
    for (const key of WHOLE) if (values[key] !== undefined) values[key] = Number(values[key]);
    const refused: Refused = {};
    const client = clientOf(row, clients);
    if (client && "error" in client) refused[client.column] = client.error;
    else if (client) values["company_id"] = client.id;
    for (const kind of ["type", "template"] as const) {
      const word = row[kind] as string | undefined;
      if (word === undefined) continue;
      const named = presets[kind].of(word);
      if ("error" in named) refused[kind] = named.error;
      else values[`subscription_${kind}_id`] = named.id;
    }
    return Object.keys(refused).length > 0 ? { refused } : { values };
  }

  async function create(row: Values, body: Values): Promise<Outcome> {
    const given = row["id"] as string | undefined;
    if (given !== undefined && hidden.has(given)) return { id: "errors.not_found" };
    checkCreate(body);
    await createSubscription(body, given === undefined ? undefined : rememberedId("subscription", given));
    return "created";
  }

  async function change(before: Values & StoredRow, { custom: given, ...values }: Values): Promise<Outcome> {
    const custom = mergedCustom(before.custom, given as CustomValues | undefined, await activeDefinitions("subscription"));
    const body: Values = { ...newValues(before, values), ...(custom && { custom }) };
    if (Object.keys(body).length === 0) return "unchanged";
    checkUpdate(body);
    return (await changeSubscription(before, body)) ? "updated" : "unchanged";
  }

  return {
    namesakes: namesakesAmong(matches),
    async load(from, to) {
      const asked = Array.from({ length: to - from }, (_, place) => changed(from + place)).flatMap((id) => id ?? []);
      stored = new Map((asked.length > 0 ? await readRows(asked) : []).map((row) => [row.id, row]));
    },
    async write(index) {
      const row = rows.at(index);
      const found = matches[index] as Match<StoredAgreement>;
      if ("refuse" in found) return { [found.refuse === "id" ? "id" : "name"]: "errors.duplicate" };
      const body = bodyOf(row);
      if ("refused" in body) return body.refused;
      const work = "create" in found ? create(row, body.values) : change(stored.get(found.change.id) as never, body.values);
      const outcome = await work.catch(refusedBy);
      return typeof outcome === "string" ? outcome : asColumns(outcome);
    },
  };
}

/** Agreements; their clients, types and presets must exist already. */
export const subscription: ImpexEntity = {
  name: "subscription",
  plural: "subscriptions",
  read: "subscriptions.subscription.read",
  write: "subscriptions.subscription.write",
  custom: "subscription",
  fields: SUBSCRIPTION_COLUMNS,
  identity: { keys: [], names: ["name"] },
  matching:
    "Rows match on id if the file is an export, then on the name within the client. company is a client number, a name or an id, company_name a name; type is a key or a label, template a name. A changed amount applies from today.",
  open,
  filters: subscriptionQuery,
  ids: ({ q, updated_since, ...filters }) =>
    ids({
      q: q as string | undefined,
      updated_since: updated_since as string | undefined,
      filters: subscriptionFilters(filters as Parameters<typeof subscriptionFilters>[0]),
    }),
  rows: readRows,
};
