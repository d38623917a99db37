import { type Step, tenantTable } from "./step.ts";

/** Words of legal forms, which say nothing about whether two names are the same. */
const FORMS =
  "bv nv vof cv gmbh mbh ag kg ohg ug ltd limited llc llp plc inc incorporated corp sa sas sarl srl spa bvba sprl oy ab as aps";
/** Hosts that many unrelated clients have their mail or page at. */
const SHARED = `gmail.com googlemail.com hotmail.com hotmail.nl outlook.com live.com live.nl msn.com icloud.com me.com mac.com yahoo.com
  ziggo.nl kpnmail.nl kpnplanet.nl planet.nl home.nl hetnet.nl casema.nl xs4all.nl chello.nl upcmail.nl telfort.nl telenet.be skynet.be
  proton.me protonmail.com gmx.de gmx.net web.de t-online.de facebook.com instagram.com linkedin.com linktr.ee sites.google.com`;

const words = (list: string) => list.trim().split(/\s+/);

/** Keys that equal clients and equal contacts share, kept by triggers: two records with a key in common may be duplicates. */
const FUNCTIONS = `
  create function match_name(name text) returns text language sql stable parallel safe set search_path = public as $$
    select nullif(replace(coalesce(nullif(trim(regexp_replace(' ' || t.words || ' ', '\\s(?:${words(FORMS).join("|")})(?=\\s)', ' ', 'g')), ''), t.words), ' ', ''), '')
      from (select trim(regexp_replace(replace(folded(name), '.', ''), '[^[:alnum:]]+', ' ', 'g')) as words) t
  $$;
  create function match_host(address text) returns text language sql immutable parallel safe set search_path = pg_catalog as $$
    select h.host from (select regexp_replace(regexp_replace(lower(address), '^[a-z]+://', ''), '^www[.]|[/:?#].*$', '', 'g') as host) h
     where h.host ~ '^[^@[:space:]]+[.][^@[:space:]]+$' and h.host <> all ('{${words(SHARED).join(",")}}')
  $$;
  create function match_number(number text) returns text language sql immutable parallel safe set search_path = pg_catalog as $$
    select n.key from (select regexp_replace(regexp_replace(upper(number), '[^A-Z0-9]', '', 'g'), '^[A-Z]{2}(?=[0-9])', '') as key) n
     where length(n.key) >= 6 and n.key !~ '^0*$'
  $$;
  create function match_phone(phone text) returns text language sql immutable parallel safe set search_path = pg_catalog as $$
    select right(d.digits, 9) from (select regexp_replace(phone, '[^0-9]', '', 'g') as digits) d where length(d.digits) >= 9
  $$;

  create function company_keys(name text, legal_name text, website text, phone text, invoice_email text, vat_number text, coc_number text)
    returns table (kind text, key text) language sql stable parallel safe set search_path = public as $$
    select distinct m.kind, left(m.key, 400) from (
      select 'name', match_name(name) union all select 'name', match_name(legal_name)
      union all select 'domain', match_host(website)
      union all select 'vat_number', match_number(vat_number) union all select 'coc_number', match_number(coc_number)
      union all select 'phone', match_phone(phone)
      union all select p.kind, p.key from regexp_split_to_table(invoice_email, '[,;[:space:]]+') a(address)
        cross join lateral (values ('email', nullif(lower(a.address), '')), ('domain', match_host(split_part(a.address, '@', 2)))) p(kind, key)
    ) m(kind, key) where m.key is not null
  $$;
  create function contact_keys(first_name text, last_name text, email text, phone text)
    returns table (kind text, key text) language sql stable parallel safe set search_path = public as $$
    select distinct m.kind, left(m.key, 400) from (
      select 'name', case when last_name is not null then match_name(first_name || ' ' || last_name) end
      union all select 'email', lower(email) union all select 'phone', match_phone(phone)
    ) m(kind, key) where m.key is not null
  $$;

  create function keep_company_keys() returns trigger language plpgsql set search_path = public as $$
  begin
    if tg_op = 'UPDATE' then
      delete from company_match_keys k where k.organisation_id = new.organisation_id and k.company_id = new.id;
    end if;
    insert into company_match_keys (organisation_id, kind, key, company_id) select new.organisation_id, m.kind, m.key, new.id
      from company_keys(new.name, new.legal_name, new.website, new.phone, new.invoice_email, new.vat_number, new.coc_number) m;
    return null;
  end $$;
  create function keep_contact_keys() returns trigger language plpgsql set search_path = public as $$
  begin
    if tg_op = 'UPDATE' then
      delete from contact_match_keys k where k.organisation_id = new.organisation_id and k.contact_id = new.id;
    end if;
    insert into contact_match_keys (organisation_id, kind, key, contact_id) select new.organisation_id, m.kind, m.key, new.id
      from contact_keys(new.first_name, new.last_name, new.email, new.phone) m;
    return null;
  end $$;
`;

const GUARD = "current_setting('app.whole_organisation', true) is distinct from 'on'";

const tables = (kind: string, records: string, fields: string) => `
  -- No key to the organisation: every write of a record would lock its row.
  create table ${kind}_match_keys (
    organisation_id uuid not null,
    kind text not null, key text not null, ${kind}_id uuid not null,
    primary key (organisation_id, kind, key, ${kind}_id),
    foreign key (organisation_id, ${kind}_id) references ${records} (organisation_id, id) on delete cascade);
  create index on ${kind}_match_keys (organisation_id, ${kind}_id);
  create table ${kind}_distinct_pairs (
    organisation_id uuid not null references organisations (id),
    one_id uuid not null, other_id uuid not null, created_at timestamptz not null default statement_timestamp(),
    primary key (organisation_id, one_id, other_id), check (one_id < other_id),
    foreign key (organisation_id, one_id) references ${records} (organisation_id, id) on delete cascade,
    foreign key (organisation_id, other_id) references ${records} (organisation_id, id) on delete cascade);
  create index on ${kind}_distinct_pairs (organisation_id, other_id);
  create trigger match_keys_kept after insert on ${records} for each row when (${GUARD}) execute function keep_${kind}_keys();
  create trigger match_keys_moved after update of ${fields} on ${records} for each row
    when (${GUARD} and (${fields
      .split(", ")
      .map((field) => `old.${field} is distinct from new.${field}`)
      .join(" or ")})) execute function keep_${kind}_keys();
`;

const step: Step = {
  async up({ sql, application }) {
    await sql(FUNCTIONS);
    for (const [kind, records, fields] of [
      ["company", "companies", "name, legal_name, website, phone, invoice_email, vat_number, coc_number"],
      ["contact", "contacts", "first_name, last_name, email, phone"],
    ] as const) {
      await sql(tables(kind, records, fields));
      for (const table of [`${kind}_match_keys`, `${kind}_distinct_pairs`]) await sql(tenantTable(table, application));
    }
  },
};

export default step;
