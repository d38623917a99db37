import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImpexEntity, ImportRows, Opened, Refused } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import { askedIds, type Identified, knownIds } from "../../../core/impex/identity.ts";
import { type Match, matchRows } from "../../../core/impex/matching.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { clientWord, NamedClients } from "../../../mixins/named/named-clients.ts";
import { domainFilters, domainListing, domainQuery, visibleDomain } from "../domains/domain.list.ts";
import { normaliseName } from "../domains/domain-name.ts";
import { DomainCreate, DomainUpdate } from "../domains/domain-schemas.ts";
import { changeDomain, createDomain } from "../domains/domain-writes.ts";
import { Domain, type DomainRow } from "../domains/models.ts";
import { clientOf, wordsOfClients } from "./client-of-row.ts";
import { clientsOfHosts } from "./clients-of-hosts.ts";
import { DOMAIN_COLUMNS } from "./domain-columns.ts";
import { matchedRows } from "./matched-rows.ts";
import { NamedParties, partyWord } from "./named-parties.ts";
import { NamedProviders, providerWord } from "./named-providers.ts";

/** The party columns. */
const PARTIES = ["registry_contact", "email_contact"];
const SEEN = `($3::uuid[] is null or ${visibleDomain("$3::uuid[]")})`;
const found = (
  by: string,
  type: string,
) => `select t.id, t.name as number, ${SEEN} as is_visible from unnest($2::${type}[]) w(word)
  join domains t on t.organisation_id = $1 and t.${by} = w.word order by t.id for no key update of t`;
const BY_ID = statement(found("id", "uuid"));
const BY_NAME = statement(found("name", "text"));
const ROWS = forStaffAndClients((clients) =>
  statement(`select ${columns(Domain, "t")}, (select ${clientWord("$3::uuid[]")} from companies c
      where c.organisation_id = t.organisation_id and c.id = t.company_id) as company,
    ${providerWord("t.registrar_provider_id")} as registrar, ${providerWord("t.dns_provider_id")} as dns_provider,
    ${providerWord("t.email_provider_id")} as email_provider,
    ${PARTIES.map((party) => partyWord(party, "$3::uuid[]", clients)).join(", ")}
  from unnest($2::uuid[]) with ordinality w(id, n) join domains t on t.organisation_id = $1 and t.id = w.id order by w.n`),
);
const ids = exportedIds(domainListing.spec, "t.name, t.created_at, t.id");

const checkCreate: CheckFor<typeof DomainCreate> = compileBody(DomainCreate, true);
const checkUpdate: CheckFor<typeof DomainUpdate> = compileBody(DomainUpdate, false);

type StoredDomain = Identified & { number: string };

const readRows = (wanted: readonly string[]): Promise<(Values & DomainRow)[]> =>
  query(ROWS(), [request().organisation.id, wanted, request().principal?.selection ?? null]);

/** A stored domain in its export shape, with the display name. */
const shownAs = (row: Values & DomainRow): Values => ({ ...row, name: row.label });

/** The name of a row in its unique form; undefined if invalid. */
const nameOf = (row: Values): string | undefined => normaliseName((row["name"] as string | undefined) ?? "") ?? undefined;

/** Matches rows with stored domains by id, then by name, and locks them. */
async function match(rows: ImportRows) {
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const identities = await Array.fromAsync(rows, (row) => ({
    id: row["id"] as string | undefined,
    number: nameOf(row),
    name: undefined,
  }));
  const given = [...new Set(identities.flatMap(({ id }) => id ?? []))];
  const byIds = await query<StoredDomain>(BY_ID, [organisation.id, askedIds("domain", given), selection]);
  const { byId, hidden } = knownIds("domain", given, byIds);
  const names = [...new Set(identities.flatMap(({ number }) => number ?? []))];
  const holders = new Map(
    (await query<StoredDomain>(BY_NAME, [organisation.id, names, selection])).map((one) => [one.number, one]),
  );
  const byNumber = new Map([...holders].filter(([, { is_visible }]) => is_visible));
  return { matches: await matchRows<StoredDomain>(identities, { byId, byNumber, byName: new Map() }), holders, hidden };
}

/** The provider columns, each with its provider kind and body field. */
const PROVIDERS = {
  registrar: ["registrar", "registrar_provider_id"],
  dns_provider: ["dns", "dns_provider_id"],
  email_provider: ["email", "email_provider_id"],
} as const;
const REFERENCES = ["id", "company", "company_name", ...PARTIES, ...Object.keys(PROVIDERS)];
const OWN = new Set(DOMAIN_COLUMNS.map(({ key }) => key).filter((key) => !REFERENCES.includes(key)));
/** Maps body fields to file columns, for error messages. */
const COLUMN_OF: Readonly<Record<string, string>> = { company_id: "company" };

async function open(rows: ImportRows): Promise<Opened> {
  const clients = await NamedClients.open(await wordsOfClients(rows));
  const providers = await NamedProviders.open();
  const parties = await NamedParties.open(rows, PARTIES);
  const { matches, holders, hidden } = await match(rows);
  const unfiled = await Array.fromAsync(rows, (row, index) => {
    const isNew = "create" in (matches[index] as Match<StoredDomain>);
    return (isNew && clientOf(row, clients, isNew) === null && nameOf(row)) || [];
  });
  const ofHosts = await clientsOfHosts(unfiled.flat());

  /** The body values of a row, or the columns with unresolved references. */
  function bodyOf(row: Values, isNew: boolean): { values: Values } | { refused: Refused } {
    const values = Object.fromEntries(Object.entries(row).filter(([key]) => OWN.has(key) || key === "custom"));
    const named = parties.ofRow(row, PARTIES);
    const refused: Refused = named.refused;
    Object.assign(values, named.values);
    const client = clientOf(row, clients, isNew);
    if (client && "error" in client) refused[client.column] = client.error;
    else if (client) values["company_id"] = client.id;
    const ofHost = isNew && client === null ? ofHosts.get(nameOf(row) ?? "") : undefined;
    if (ofHost !== undefined) values["company_id"] = ofHost;
    for (const [column, [kind, field]] of Object.entries(PROVIDERS)) {
      const word = row[column] as string | undefined;
      if (word === undefined) continue;
      const named = providers.of(kind, word);
      if ("error" in named) refused[column] = named.error;
      else values[field] = named.id;
    }
    return Object.keys(refused).length > 0 ? { refused } : { values };
  }

  const taken = ofHosts.size > 0 ? [{ field: "name", as: "company" }] : [];
  const opened = matchedRows<Values & DomainRow>({
    entity: "domain",
    rows,
    matches,
    hidden,
    column: "name",
    columnOf: COLUMN_OF,
    readRows,
    bodyOf,
    checkCreate,
    checkUpdate,
    create: createDomain,
    change: changeDomain,
    shown: shownAs,
    // Refuses a name that another domain has; otherwise the database would reject the whole file.
    clash(row, match) {
      const holder = holders.get(nameOf(row) ?? "");
      return holder && !("change" in match && match.change.id === holder.id) ? { name: "errors.conflict" } : undefined;
    },
  });
  return { ...opened, taken };
}

/** Domains with references to existing clients and providers. */
export const domain: ImpexEntity = {
  name: "domain",
  plural: "domains",
  read: "domains.domain.read",
  write: "domains.domain.write",
  custom: "domain",
  fields: DOMAIN_COLUMNS,
  filesUnder: true,
  identity: { keys: ["name"], names: ["name"] },
  matching:
    "Rows match on id if the file is an export, then on name, of which only the host counts. company is a client number, a name or an id, company_name a name; a new domain without either goes to the one client whose website or contact address it is; registrar, dns_provider and email_provider are names of providers of their kind, or ids; registry_contact and email_contact are agency, company (the client itself), company: number, employee: address or contact: address.",
  known: {
    columns: Object.keys(PROVIDERS),
    async open() {
      const providers = await NamedProviders.open();
      return Object.fromEntries(Object.entries(PROVIDERS).map(([column, [kind]]) => [column, providers.known(kind)]));
    },
  },
  open,
  filters: domainQuery,
  ids: ({ q, updated_since, ...filters }) =>
    ids({
      q: q as string | undefined,
      updated_since: updated_since as string | undefined,
      filters: domainFilters(filters as Parameters<typeof domainFilters>[0]),
    }),
  rows: async (wanted) => (await readRows(wanted)).map(shownAs),
};
