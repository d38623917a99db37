import { addDays, addMonths } from "../../../core/calendar/calendar.ts";
import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { seal } from "../../../core/database/sealed.ts";
import { queueInsert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { randomHex } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { labelOf, normaliseName, tldOf } from "../domains/domain-name.ts";
import { Domain, type DomainStatus } from "../domains/models.ts";
import { defaultRenewal, isBillable } from "../domains/renewal-dates.ts";
import { TldPrice } from "../tld-prices/models.ts";

const DOMAINS = 40;
const WEBSITES = 12;
/** The yearly prices per TLD, past and current; `.nl` has an announced increase. */
const PRICES = [
  ["nl", "9.95", -400],
  ["nl", "11.50", 60],
  ["com", "14.95", -400],
  ["eu", "12.50", -400],
  ["shop", "31.00", -200],
] as const;
const HOSTINGS = ["Webserver 1", "Webserver 2", "Webwinkels"] as const;
const PROVIDERS = [
  ["registrar", "Oxxa"],
  ["registrar", "TransIP"],
  ["dns", "Cloudflare"],
  ["dns", "TransIP"],
  ["hosting", "Hetzner"],
  ["email", "Microsoft 365"],
] as const;
const STATUSES: readonly DomainStatus[] = [
  "active",
  "active",
  "active",
  "active",
  "redirect",
  "active",
  "parked",
  "active",
  "active",
  "expired",
];

const BUSY = statement("select 1 from domains where organisation_id = $1 limit 1");
const CLIENTS = statement(`select id, name from companies where organisation_id = $1 and status in ('active', 'onboarding')
  order by client_number, id limit 24`);
const ADD_PROVIDERS = statement(`insert into providers (id, organisation_id, kind, name, position)
  select r.id, $1, r.kind, r.name, r.position from jsonb_to_recordset($2::jsonb) r (id uuid, kind text, name text, position int)`);
const ADD_HOSTINGS = statement(`insert into hostings (id, organisation_id, name, provider_id, ip_address)
  select r.id, $1, r.name, r.provider_id, r.ip_address
    from jsonb_to_recordset($2::jsonb) r (id uuid, name text, provider_id uuid, ip_address text)`);
const ADD_WEBSITES = statement(`insert into websites (id, organisation_id, domain_id, root, hosting_id)
  select r.id, $1, r.domain_id, r.root, r.hosting_id
    from jsonb_to_recordset($2::jsonb) r (id uuid, domain_id uuid, root boolean, hosting_id uuid)`);
const ADD_REGISTRAR =
  statement(`insert into registrar_accounts (id, organisation_id, name, api_user, api_password, provider_id, active,
    last_verified_at, last_synced_at)
  values ($2, $1, 'Oxxa (voorbeeld)', 'demo', $3, $4, false, statement_timestamp(), statement_timestamp())`);
const ADD_LISTED =
  statement(`insert into registrar_domains (id, organisation_id, account_id, name, label, sld, tld, domain_id, expires_on,
    autorenew, transfer_lock, registry_status, last_synced_at)
  select r.id, $1, $2, r.name, r.label, split_part(r.name, '.', 1), r.tld, r.domain_id, r.expires_on, true, true, r.registry_status,
         statement_timestamp()
    from jsonb_to_recordset($3::jsonb) r (id uuid, name text, label text, tld text, domain_id uuid, expires_on date, registry_status text)`);

type NextId = (kind: string) => string;

interface DemoDomain {
  id: string;
  name: string;
  tld: string | null;
  next_invoice_date: string | null;
}

/** Plausible domain names for a client, the best first. */
function namesFor(client: string): string[] {
  const dashed = client
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
  const word = shortened(dashed, 40);
  const names = [`${word}.nl`, `${word}.com`, `mijn-${word}.nl`, `${word}.eu`, `${word}-online.nl`, `${word}.shop`];
  return names.flatMap((name) => normaliseName(name) ?? []);
}

/** Forty unique names, each with its client. */
function namesOf(clients: readonly { id: string; name: string }[]): { company_id: string; name: string }[] {
  const found = new Map<string, string>();
  for (let round = 0; round < 6; round += 1)
    for (const { id, name } of clients) {
      const own = namesFor(name)[round];
      if (own !== undefined && !found.has(own)) found.set(own, id);
    }
  return [...found].slice(0, DOMAINS).map(([name, company_id]) => ({ name, company_id }));
}

function addProviders(organisation: string, ids: NextId): (kind: string) => string | null {
  const rows = PROVIDERS.map(([kind, name], position) => ({ id: ids("providers"), kind, name, position }));
  enqueue(ADD_PROVIDERS, [organisation, JSON.stringify(rows)]);
  return (kind) => rows.find((row) => row.kind === kind)?.id ?? null;
}

function addDomains(
  clients: readonly { id: string; name: string }[],
  today: string,
  provider: (kind: string) => string | null,
  ids: NextId,
) {
  return namesOf(clients).map(({ name, company_id }, n): DemoDomain => {
    const status = STATUSES[n % STATUSES.length] as DomainStatus;
    const start_date = addDays(addMonths(today, -36 + (n % 30)), n);
    const row = {
      id: ids("domains"),
      name,
      tld: tldOf(name),
      next_invoice_date: isBillable(status) ? defaultRenewal({ start_date, expires_on: null, today }) : null,
    };
    queueInsert(Domain, {
      ...row,
      label: labelOf(name),
      company_id,
      status,
      start_date,
      redirect_url: status === "redirect" ? "https://www.example.com" : null,
      price_override: n % 11 === 10 ? "25.00" : null,
      invoiceable: n % 13 === 12 ? false : null,
      registrar_provider_id: provider("registrar"),
      dns_provider_id: provider("dns"),
      registry_contact_type: "agency",
      email_enabled: n % 3 === 0,
      email_provider_id: n % 3 === 0 ? provider("email") : null,
      email_contact_type: n % 3 === 0 ? "company" : null,
    });
    return row;
  });
}

/** Adds the registrar's list: most of the domains, some with another expiry date, one marked gone, and two unknown to this organisation. */
function addRegister(
  organisation: string,
  account: string,
  domains: readonly DemoDomain[],
  today: string,
  provider: string | null,
): void {
  const place = { table: "registrar_accounts", column: "api_password", organisation, row: account };
  enqueue(ADD_REGISTRAR, [organisation, account, seal(randomHex(12), place), provider]);
  const listed = domains.flatMap(({ id, name, tld, next_invoice_date }, n) => {
    if (n % 7 === 6) return [];
    const expires_on = n % 5 === 4 ? addDays(today, 20 + n) : (next_invoice_date ?? addDays(today, -30));
    return [
      { id: newId(), name, label: labelOf(name), tld, domain_id: id, expires_on, registry_status: n === 8 ? "gone" : "active" },
    ];
  });
  const unknown = ["oude-naam.nl", "vergeten-actie.com"].map((name) => ({
    ...{ id: newId(), name, label: name, tld: tldOf(name), domain_id: null },
    ...{ expires_on: addDays(today, 90), registry_status: "active" },
  }));
  enqueue(ADD_LISTED, [organisation, account, JSON.stringify([...listed, ...unknown])]);
}

/**
 * Adds providers, TLD prices, forty domains with a mostly matching register, hostings and websites to the demo organisation. The registrar
 * account is inactive, because its password is made up. Does nothing if the organisation already has domains.
 */
export async function fillAssets({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const clients = await query<{ id: string; name: string }>(CLIENTS, [organisation.id]);
      if (clients.length === 0) return;
      const today = organisationToday();
      const ids = demoIds(organisation);
      const provider = addProviders(organisation.id, ids);
      for (const [tld, amount, days] of PRICES)
        queueInsert(TldPrice, {
          id: ids("domains/tld-prices"),
          tld,
          amount,
          currency: organisation.currency,
          valid_from: addDays(today, days),
        });
      const domains = addDomains(clients, today, provider, ids);
      addRegister(organisation.id, ids("registrar/accounts"), domains, today, provider("registrar"));
      const hostings = HOSTINGS.map((name, n) => ({
        ...{ id: ids("hosting"), name, provider_id: provider("hosting"), ip_address: `192.0.2.${10 + n}` },
      }));
      enqueue(ADD_HOSTINGS, [organisation.id, JSON.stringify(hostings)]);
      const websites = domains.slice(0, WEBSITES).map(({ id: domain_id }, n) => ({
        ...{ id: ids("websites"), domain_id, root: n % 4 !== 3, hosting_id: hostings[n % hostings.length]?.id },
      }));
      enqueue(ADD_WEBSITES, [organisation.id, JSON.stringify(websites)]);
    },
  );
}
