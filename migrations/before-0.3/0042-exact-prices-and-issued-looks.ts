import { type Step, tenantTable } from "../step.ts";

/** Range of a unit price, and of the bound of a quantity: 4 decimals (money §0 "Amounts"). */
const EXACT = [
  ["document_lines", "quantity", "1e8"],
  ["document_lines", "unit_price", "1e10"],
  ["products", "unit_price", "1e10"],
] as const;

/** The documents that are issued. */
const DOCUMENTS = ["invoices", "quotes"] as const;

/** The content of a look as one short text, to find an equal one by. */
const CONTENT = (look: string) =>
  `md5(${look}seller::text || ${look}brand::text || coalesce(${look}template::text, '')) collate "C"`;

/**
 * Quantities and unit prices keep the decimals they were sent with: `numeric` without a scale remembers them, and PostgreSQL needs to rewrite
 * no row for it.
 *
 * What issued documents print of their organisation and their template is kept in `issued_looks`, one row for all documents that look
 * alike: a template may be 300 kB. A trigger gives a document its look when it leaves the state of a draft, so that nodes of the version
 * before freeze what they issue, too. A document that is given another template later keeps seller and brand of the look it has (`kept`). Documents that were issued already get theirs in the next step, which locks no table.
 *
 * The indexes behind sums over open and paid documents learn the currency, for what has no rate to that of the organisation is left out.
 */
const step: Step = {
  async up({ sql, application }) {
    for (const [table, column, limit] of EXACT)
      await sql(`alter table ${table} alter column ${column} type numeric,
        add constraint ${table}_${column}_exact check (scale(${column}) <= 4 and abs(${column}) < ${limit})`);
    await sql(`alter table document_lines alter column quantity set default 1.00, alter column unit_price set default 0.00;
      alter table products alter column unit_price set default 0.00;`);

    await sql(`
      create table issued_looks (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        -- The company details of the settings, the organisation's brand, and the design of the template (null: the classic one).
        seller jsonb not null,
        brand jsonb not null,
        template jsonb,
        unique (organisation_id, id)
      );
      create index issued_looks_by_content on issued_looks (organisation_id, (${CONTENT("")}));
      ${tenantTable("issued_looks", application)}

      create function issued_look(organisation uuid, template_id uuid, kept uuid default null) returns uuid language plpgsql set search_path = public as $$
      declare
        live record;
        found uuid;
      begin
        select coalesce(k.seller, s.company_details, jsonb_build_object('name', coalesce(o.brand_name, o.name))) as seller,
            coalesce(k.brand, jsonb_build_object('brand', coalesce(o.brand_name, o.name), 'logo_url', o.logo_url,
              'primary_color', o.primary_color, 'accent_color', o.accent_color)) as brand,
            (select t.config from invoice_templates t where t.organisation_id = o.id and t.id = template_id) as template
          into strict live
          from organisations o left join invoicing_settings s on s.organisation_id = o.id
            left join issued_looks k on k.organisation_id = o.id and k.id = kept
          where o.id = organisation;
        select l.id into found from issued_looks l
          where l.organisation_id = organisation and ${CONTENT("l.")} = ${CONTENT("live.")}
            and l.seller = live.seller and l.brand = live.brand and l.template is not distinct from live.template limit 1;
        if found is null then
          insert into issued_looks (organisation_id, seller, brand, template)
            values (organisation, live.seller, live.brand, live.template) returning id into found;
        end if;
        return found;
      end $$;
      revoke all on function issued_look(uuid, uuid, uuid) from public;
      grant execute on function issued_look(uuid, uuid, uuid) to ${application};

      create function keep_issued_look() returns trigger language plpgsql set search_path = public as $$
      begin
        new.look_id := issued_look(new.organisation_id, new.template_id);
        return new;
      end $$;
    `);
    for (const table of DOCUMENTS)
      await sql(`
        alter table ${table} add column look_id uuid,
          add constraint ${table}_look_fkey foreign key (organisation_id, look_id) references issued_looks (organisation_id, id);
        create trigger ${table}_keep_look before update of status on ${table} for each row
          when (old.status = 'draft' and new.status <> 'draft' and new.look_id is null) execute function keep_issued_look();`);

    await sql(`
      drop index invoices_open, invoices_paid, quotes_open;
      create index invoices_open on invoices (organisation_id, due_date, company_id)
        include (outstanding, exchange_rate, kind, currency) where status = 'open';
      create index invoices_paid on invoices (organisation_id, paid_at) include (company_id, paid_total, exchange_rate, currency)
        where status = 'paid';
      create index quotes_open on quotes (organisation_id, valid_until) include (total, exchange_rate, company_id, currency)
        where status = 'open';
    `);
  },
};

export default step;
