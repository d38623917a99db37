import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImpexEntity, ImportRows, Opened, Refused } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import { askedIds, type Identified, knownIds } from "../../../core/impex/identity.ts";
import { matchRows, sameName } from "../../../core/impex/matching.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { clientWord, NamedClients } from "../../../mixins/named/named-clients.ts";
import { hostingListing, hostingQuery, visibleHosting } from "../hosting/hosting.list.ts";
import { HostingCreate, HostingUpdate } from "../hosting/hosting-schemas.ts";
import { changeHosting, createHosting } from "../hosting/hosting-writes.ts";
import { Hosting, type HostingRow } from "../hosting/models.ts";
import { clientOf, wordsOfClients } from "./client-of-row.ts";
import { HOSTING_COLUMNS } from "./hosting-columns.ts";
import { matchedRows } from "./matched-rows.ts";
import { NamedParties, partyWord } from "./named-parties.ts";
import { NamedProviders, providerWord } from "./named-providers.ts";

const SEEN = `($3::uuid[] is null or ${visibleHosting("$3::uuid[]")})`;
const BY_ID = statement(`select t.id, t.name, ${SEEN} as is_visible from unnest($2::uuid[]) w(id)
  join hostings t on t.organisation_id = $1 and t.id = w.id order by t.id for no key update of t`);
const BY_NAME = statement(`select t.id, t.name, true as is_visible from unnest($2::text[]) w(name)
  join hostings t on t.organisation_id = $1 and t.name collate kantoor_text = w.name where ${SEEN} order by t.id for no key update of t`);
/** The party column. */
const PARTIES = ["contact"];
const rowsBy = forStaffAndClients((clients) =>
  statement(`select ${columns(Hosting, "t")}, ${partyWord("contact", "$3::uuid[]", clients)}, (select ${clientWord("$3::uuid[]")} from companies c
      where c.organisation_id = t.organisation_id and c.id = t.company_id) as company, ${providerWord("t.provider_id")} as provider
  from unnest($2::uuid[]) with ordinality w(id, n) join hostings t on t.organisation_id = $1 and t.id = w.id order by w.n`),
);
const ids = exportedIds(hostingListing.spec, 't.name collate "C", t.created_at, t.id');

const checkCreate: CheckFor<typeof HostingCreate> = compileBody(HostingCreate, true);
const checkUpdate: CheckFor<typeof HostingUpdate> = compileBody(HostingUpdate, false);

type StoredHosting = Identified & { name: string };

const readRows = (wanted: readonly string[]): Promise<(Values & HostingRow)[]> =>
  query(rowsBy(), [request().organisation.id, wanted, request().principal?.selection ?? null]);

/** Matches rows with stored hosting by id, then by a unique name, and locks it. */
async function match(rows: ImportRows) {
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const identities = await Array.fromAsync(rows, (row) => ({
    id: row["id"] as string | undefined,
    number: undefined,
    name: (row["name"] as string | undefined)?.trim(),
  }));
  const given = [...new Set(identities.flatMap(({ id }) => id ?? []))];
  const byIds = await query<StoredHosting>(BY_ID, [organisation.id, askedIds("hosting", given), selection]);
  const { byId, hidden } = knownIds("hosting", given, byIds);
  const names = [...new Set(identities.flatMap(({ name }) => (name === undefined ? [] : sameName(name))))];
  const named = await query<StoredHosting>(BY_NAME, [organisation.id, names, selection]);
  const byName = Map.groupBy(named, ({ name }) => sameName(name));
  return { matches: await matchRows<StoredHosting>(identities, { byId, byNumber: new Map(), byName }), hidden };
}

/** Maps body fields to file columns, for error messages. */
const COLUMN_OF: Readonly<Record<string, string>> = { company_id: "company", provider_id: "provider" };

async function open(rows: ImportRows): Promise<Opened> {
  const clients = await NamedClients.open(await wordsOfClients(rows));
  const providers = await NamedProviders.open();
  const parties = await NamedParties.open(rows, PARTIES);
  const { matches, hidden } = await match(rows);

  /** The body values of a row, or the columns with unresolved references. */
  function bodyOf(row: Values, isNew: boolean): { values: Values } | { refused: Refused } {
    const values = Object.fromEntries(
      ["name", "ip_address", "custom"].flatMap((key) => (row[key] === undefined ? [] : [[key, row[key]]])),
    );
    const named = parties.ofRow(row, PARTIES);
    Object.assign(values, named.values);
    const refused: Refused = { ...named.refused };
    const client = clientOf(row, clients, isNew);
    if (client && "error" in client) refused[client.column] = client.error;
    else if (client) values["company_id"] = client.id;
    if (row["provider"] !== undefined) {
      const provider = providers.of("hosting", row["provider"] as string);
      if ("error" in provider) refused["provider"] = provider.error;
      else values["provider_id"] = provider.id;
    }
    return Object.keys(refused).length > 0 ? { refused } : { values };
  }

  return matchedRows<Values & HostingRow>({
    entity: "hosting",
    rows,
    matches,
    hidden,
    column: "name",
    columnOf: COLUMN_OF,
    readRows,
    bodyOf,
    checkCreate,
    checkUpdate,
    create: createHosting,
    change: changeHosting,
  });
}

/** Hosting with references to existing clients and providers. */
export const hosting: ImpexEntity = {
  name: "hosting",
  plural: "hostings",
  read: "hosting.hosting.read",
  write: "hosting.hosting.write",
  custom: "hosting",
  fields: HOSTING_COLUMNS,
  filesUnder: true,
  identity: { keys: [], names: ["name"] },
  matching:
    "Rows match on id if the file is an export, then on a unique name. company is a client number, a name or an id, company_name a name; provider is the name of a provider of hosting, or its id; contact is a party: agency, company (the client itself) or company: number, employee: address, contact: address.",
  known: { columns: ["provider"], open: async () => ({ provider: (await NamedProviders.open()).known("hosting") }) },
  open,
  filters: hostingQuery,
  ids: ({ q, updated_since, company_id }) =>
    ids({ q: q as string | undefined, updated_since: updated_since as string | undefined, filters: { company_id } }),
  rows: readRows,
};
