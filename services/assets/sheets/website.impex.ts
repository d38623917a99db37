import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImpexEntity, ImportRows, Opened, Refused } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import type { Field } from "../../../core/impex/field.ts";
import { askedIds, type Identified, knownIds } from "../../../core/impex/identity.ts";
import { matchRows, sameName } from "../../../core/impex/matching.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Named } from "../../../mixins/named/named-clients.ts";
import { visibleDomain } from "../domains/domain.list.ts";
import { normaliseName } from "../domains/domain-name.ts";
import { visibleHosting } from "../hosting/hosting.list.ts";
import { Website, type WebsiteRow } from "../websites/models.ts";
import { visibleWebsite, type WebsiteFilters, websiteFilters, websiteListing, websiteQuery } from "../websites/website.list.ts";
import { WebsiteCreate, WebsiteUpdate } from "../websites/website-schemas.ts";
import { changeWebsite, createWebsite } from "../websites/website-writes.ts";
import { matchedRows } from "./matched-rows.ts";
import { NamedParties, partyWord } from "./named-parties.ts";

const BY_WORD = statement(`select t.id, t.name from hostings t where t.organisation_id = $1
  and ($3::uuid[] is null or ${visibleHosting("$3::uuid[]")})
  and (t.name collate kantoor_text = any($2::text[]) or t.id = any($4::uuid[])) order by t.id for key share`);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The hosting named by the words of a file, by id or unique name; locked until the import ends. */
class NamedHosting {
  readonly #ids = new Map<string, Set<string>>();

  /** Looks up all words in one statement. */
  static async open(words: ReadonlySet<string>): Promise<NamedHosting> {
    const named = new NamedHosting();
    if (words.size === 0) return named;
    const { organisation, principal } = request();
    const given = [...words].filter((word) => UUID.test(word));
    const values = [organisation.id, [...words], principal?.selection ?? null, given];
    for (const { id, name } of await query<{ id: string; name: string }>(BY_WORD, values))
      for (const word of [id, sameName(name)]) named.#ids.set(word, (named.#ids.get(word) ?? new Set()).add(id));
    return named;
  }

  of(word: string): Named {
    const [only, other] = this.#ids.get(sameName(word)) ?? [];
    if (only === undefined) return { error: "impex.errors.unresolved_reference" };
    return other === undefined ? { id: only } : { error: "impex.errors.ambiguous_match" };
  }
}

/** The columns of a website spreadsheet, with their Dutch, English and German headers. */
const WEBSITE_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "domain",
    kind: "text",
    required: true,
    names: [
      ...["domain name", "domein", "domeinnaam", "website", "url", "site", "host", "hostname", "naam", "name"],
      ...["domäne", "webseite"],
    ],
  },
  { key: "root", kind: "boolean", names: ["apex", "zonder www", "without www", "hoofddomein", "ohne www"] },
  { key: "hosting", kind: "text", names: ["hosting name", "hostingpakket", "server", "gehost op", "hosted on", "gehostet auf"] },
  {
    key: "uptime_enabled",
    kind: "boolean",
    names: ["uptime", "monitoring", "bewaakt", "bewaking", "uptime monitoring", "überwacht", "überwachung"],
  },
  {
    key: "technical_owner",
    kind: "text",
    names: ["technisch beheerder", "technische eigenaar", "technical owner", "beheerder", "technisch verantwoordelijk"],
  },
];

const DOMAINS = statement(`select t.id, t.name from domains t where t.organisation_id = $1 and t.name = any($2::text[])
  and ($3::uuid[] is null or ${visibleDomain("$3::uuid[]")}) order by t.id for key share`);
/** The party column. */
const PARTIES = ["technical_owner"];
const SEEN = `($3::uuid[] is null or ${visibleWebsite("$3::uuid[]")})`;
const found = (by: string) => `select t.id, t.domain_id::text as number, ${SEEN} as is_visible from unnest($2::uuid[]) w(id)
  join websites t on t.organisation_id = $1 and t.${by} = w.id order by t.id for no key update of t`;
const BY_ID = statement(found("id"));
const BY_DOMAIN = statement(found("domain_id"));
/** The export word of a hosting, unique among those the caller sees. */
const HOSTING_WORD = `case when exists (select 1 from hostings o where o.organisation_id = h.organisation_id and o.id <> h.id
    and o.name collate kantoor_text = h.name and ($3::uuid[] is null or ${visibleHosting("$3::uuid[]", "o")}))
  then h.id::text else h.name end`;
const ROWS = forStaffAndClients((clients) =>
  statement(`select ${columns(Website, "t")},
    (select d.label from domains d where d.organisation_id = t.organisation_id and d.id = t.domain_id) as domain,
    (select ${HOSTING_WORD} from hostings h where h.organisation_id = t.organisation_id and h.id = t.hosting_id
      and ($3::uuid[] is null or ${visibleHosting("$3::uuid[]", "h")})) as hosting,
    ${partyWord("technical_owner", "$3::uuid[]", clients)}
  from unnest($2::uuid[]) with ordinality w(id, n) join websites t on t.organisation_id = $1 and t.id = w.id order by w.n`),
);
const ids = exportedIds(
  websiteListing.spec,
  "(select d.name from domains d where d.organisation_id = t.organisation_id and d.id = t.domain_id), t.id",
);

const checkCreate: CheckFor<typeof WebsiteCreate> = compileBody(WebsiteCreate, true);
const checkUpdate: CheckFor<typeof WebsiteUpdate> = compileBody(WebsiteUpdate, false);

type StoredWebsite = Identified & { number: string };

const readRows = (wanted: readonly string[]): Promise<(Values & WebsiteRow)[]> =>
  query(ROWS(), [request().organisation.id, wanted, request().principal?.selection ?? null]);

/** The domain name of a row in its unique form. */
const nameOf = (row: Values): string => normaliseName((row["domain"] as string | undefined) ?? "") ?? "";

/** Matches rows with stored websites by id, then by domain, and locks them. */
async function match(rows: ImportRows) {
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const names = [...new Set(await Array.fromAsync(rows, nameOf))].filter(Boolean);
  const named = await query<{ id: string; name: string }>(DOMAINS, [organisation.id, names, selection]);
  const domains = new Map(named.map(({ id, name }) => [name, id]));
  const identities = await Array.fromAsync(rows, (row) => ({
    id: row["id"] as string | undefined,
    number: domains.get(nameOf(row)),
    name: undefined,
  }));
  const given = [...new Set(identities.flatMap(({ id }) => id ?? []))];
  const byIds = await query<StoredWebsite>(BY_ID, [organisation.id, askedIds("website", given), selection]);
  const { byId, hidden } = knownIds("website", given, byIds);
  const held = await query<StoredWebsite>(BY_DOMAIN, [organisation.id, [...domains.values()], selection]);
  const byNumber = new Map(held.map((one) => [one.number, one]));
  return {
    matches: await matchRows<StoredWebsite>(identities, { byId, byNumber, byName: new Map() }),
    byNumber,
    domains,
    hidden,
  };
}

/** Maps body fields to file columns, for error messages. */
const COLUMN_OF: Readonly<Record<string, string>> = { domain_id: "domain", hosting_id: "hosting" };

const hostingWord = (row: Values): string | undefined => (row["hosting"] as string | undefined)?.trim();

async function open(rows: ImportRows): Promise<Opened> {
  const hostings = await NamedHosting.open(new Set((await Array.fromAsync(rows, (row) => hostingWord(row) ?? [])).flat()));
  const parties = await NamedParties.open(rows, PARTIES);
  const { matches, byNumber, domains, hidden } = await match(rows);

  /** The body values of a row, or the columns with unresolved references. */
  function bodyOf(row: Values): { values: Values } | { refused: Refused } {
    const values = Object.fromEntries(
      ["root", "uptime_enabled", "custom"].flatMap((key) => (row[key] === undefined ? [] : [[key, row[key]]])),
    );
    const { values: owner, refused } = parties.ofRow(row, PARTIES);
    const word = hostingWord(row);
    const named = word === undefined ? undefined : hostings.of(word);
    if (named && "error" in named) refused["hosting"] = named.error;
    if (Object.keys(refused).length > 0) return { refused };
    return { values: { ...values, ...owner, ...(named && "id" in named && { hosting_id: named.id }) } };
  }

  return matchedRows<Values & WebsiteRow>({
    entity: "website",
    rows,
    matches,
    hidden,
    column: "domain",
    columnOf: COLUMN_OF,
    readRows,
    bodyOf,
    checkCreate,
    checkUpdate,
    create: createWebsite,
    change: changeWebsite,
    made(row, values) {
      const domain_id = domains.get(nameOf(row));
      if (domain_id === undefined) return { refused: { domain: "impex.errors.unresolved_reference" } };
      // Otherwise the database would reject the whole file.
      return byNumber.has(domain_id) ? { refused: { domain: "errors.conflict" } } : { values: { ...values, domain_id } };
    },
  });
}

/** Websites with references to existing domains and hosting. */
export const website: ImpexEntity = {
  name: "website",
  plural: "websites",
  read: "websites.website.read",
  write: "websites.website.write",
  custom: "website",
  fields: WEBSITE_COLUMNS,
  identity: { keys: ["domain"], names: ["domain"] },
  matching:
    "Rows are matched on id where the file is an export, then on domain, of which the host counts. A website stays with its domain. hosting is a name that one hosting alone has, or its id; technical_owner is agency, company (the domain's client), company: number, employee: address or contact: address.",
  open,
  filters: websiteQuery,
  ids: ({ q, updated_since, ...filters }) =>
    ids({
      q: q as string | undefined,
      updated_since: updated_since as string | undefined,
      filters: websiteFilters(filters as WebsiteFilters),
    }),
  rows: readRows,
};
