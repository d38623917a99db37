import { filesOfRecord, type Step, tenantTable, updateInBatches } from "./step.ts";

const DOCUMENTS = ["invoices", "quotes"] as const;

/** What the step does with a table of documents. Its update is no change of the record: it moves no version. */
const statementsFor = (table: string): string[] => [
  `alter table ${table} add column left_at timestamptz`,
  `drop trigger change_counted on ${table}`,
  `update ${table} set left_at = coalesce(sent_at, statement_timestamp()) where status <> 'draft'`,
  `create trigger change_counted before update on ${table} for each row
          when (new.version = old.version and new.left_at is not distinct from old.left_at) execute function count_change_of_row()`,
];

/**
 * A document that left the organisation never changes (money §4): `left_at` says since when, and its PDF and e-invoices are kept as they
 * first left. Of those that are issued already it is unknown who has them, so they count as left.
 *
 * A look keeps copies of its pictures: a logo that the organisation deletes stays on what was issued with it. A trigger makes them, so that
 * nodes of the version before keep them, too.
 */
const step: Step = {
  /** Marks the documents while other nodes write: one statement for all of them would lock each until its end. */
  async ahead(sql) {
    for (const table of DOCUMENTS) {
      const [add, , , count] = statementsFor(table) as [string, string, string, string];
      await sql(`${add.replace("add column", "add column if not exists")};
        ${count.replace("create trigger", "create or replace trigger")};`);
      await updateInBatches(
        sql,
        table,
        "left_at = coalesce(sent_at, statement_timestamp())",
        "status <> 'draft' and left_at is null",
      );
    }
    return DOCUMENTS.flatMap(statementsFor);
  },

  async up({ sql, application }) {
    for (const table of DOCUMENTS)
      await sql(`
        ${statementsFor(table).join(";\n")};`);
    // The fields that were blank at the seller and filled on this document alone: {country, vat_number}.
    await sql("alter table invoices add column seller_filled jsonb not null default '{}'");

    await sql(`
      create table kept_documents (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        invoice_id uuid,
        quote_id uuid,
        form text not null check (form in ('pdf', 'hybrid', 'ubl', 'peppol')),
        file_id uuid not null,
        unique (organisation_id, id),
        check (num_nonnulls(invoice_id, quote_id) = 1),
        constraint kept_documents_invoice unique (organisation_id, invoice_id, form),
        constraint kept_documents_quote unique (organisation_id, quote_id, form),
        foreign key (organisation_id, invoice_id) references invoices (organisation_id, id) on delete cascade,
        foreign key (organisation_id, quote_id) references quotes (organisation_id, id) on delete cascade,
        foreign key (organisation_id, file_id) references files (organisation_id, id)
      );
      create index on kept_documents (organisation_id, file_id);
      ${tenantTable("kept_documents", application)}
      ${filesOfRecord("kept_documents", "kept_document")}`);

    await sql(`
      -- {id of a branding file: id of its copy}
      alter table issued_looks add column pictures jsonb not null default '{}';
      create function copied_pictures(organisation uuid, look uuid, brand jsonb, template jsonb) returns jsonb
        language sql volatile set search_path = public as $$
        with shown as (
          select distinct f.id, f.content_id, f.name, f.type, gen_random_uuid() as copy from files f
            where f.organisation_id = organisation and f.entity_type = 'branding' and f.id::text in (
              lower(substring(brand ->> 'logo_url' from '/api/v1/files/([0-9A-Fa-f-]{36})/public$')),
              lower(template -> 'background' ->> 'file_id'), lower(template ->> 'qr_logo_file_id'))),
        copied as (
          insert into files (id, organisation_id, content_id, entity_type, entity_id, inline, name, type)
            select copy, organisation, content_id, 'issued_look', look, true, name, type from shown)
        select coalesce(jsonb_object_agg(id, copy), '{}') from shown
      $$;
      revoke all on function copied_pictures(uuid, uuid, jsonb, jsonb) from public;
      grant execute on function copied_pictures(uuid, uuid, jsonb, jsonb) to ${application};
      update issued_looks set pictures = copied_pictures(organisation_id, id, brand, template);
      create function keep_look_pictures() returns trigger language plpgsql set search_path = public as $$
      begin
        new.pictures := copied_pictures(new.organisation_id, new.id, new.brand, new.template);
        return new;
      end $$;
      create trigger issued_looks_keep_pictures before insert on issued_looks for each row execute function keep_look_pictures();`);
  },
};

export default step;
