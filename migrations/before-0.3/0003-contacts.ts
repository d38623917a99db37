import { type Step, searchIndexes, tenantTable } from "../step.ts";

/** Contacts, their links to companies, the types of those links, and contacts as a source of a selection. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table contact_types (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        key text not null check (key ~ '^[a-z0-9_]{1,50}$'),
        position int not null default 0,
        active boolean not null default true,
        label_i18n jsonb not null default '{}',
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint contact_types_key_key unique (organisation_id, key)
      );

      create table contacts (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        -- Kept by a trigger of contact_links: a restricted list asks it of every row.
        linked boolean not null default false,
        search_text text not null generated always as (
          lower(first_name collate "und-x-icu") || E'\\x1f' || lower(coalesce(last_name, '') collate "und-x-icu") || E'\\x1f' ||
          lower(coalesce(email, '') collate "und-x-icu")
        ) stored,
        first_name text not null check (first_name <> ''),
        last_name text,
        job_title text,
        email text,
        -- Not unique: old data may hold duplicates, so the service keeps new ones out.
        email_key text collate "und-x-icu" generated always as (lower(email collate "und-x-icu")) stored,
        phone text,
        notes text,
        custom jsonb not null default '{}',
        -- The portal login attached to this contact.
        account_id uuid references accounts (id) on delete set null,
        unique (organisation_id, id),
        constraint contacts_account_key unique (organisation_id, account_id)
      );
      create index on contacts (account_id);
      create index contacts_by_email_key on contacts (organisation_id, email_key);
      create index contacts_by_creation on contacts (organisation_id, created_at, id) include (linked);
      create index contacts_by_change on contacts (organisation_id, updated_at, created_at desc, id) include (linked);
      create index contacts_by_first_name on contacts (organisation_id, first_name collate kantoor_text, created_at desc, id);
      create index contacts_by_first_name_down on contacts (organisation_id, first_name collate kantoor_text desc, created_at desc, id);
      create index contacts_unlinked on contacts
        (organisation_id, first_name collate kantoor_text, last_name collate kantoor_text, id) where not linked;
      ${["last_name", "email", "job_title"]
        .map(
          (column) => `
      create index contacts_by_${column} on contacts (organisation_id, ${column} collate kantoor_text, created_at desc, id);
      create index contacts_by_${column}_down on contacts
        (organisation_id, ${column} collate kantoor_text desc nulls last, created_at desc, id);`,
        )
        .join("")}
      ${searchIndexes("contacts")}

      create table contact_links (
        organisation_id uuid not null references organisations (id),
        contact_id uuid not null,
        company_id uuid not null,
        contact_type_id uuid,
        is_primary boolean not null default false,
        created_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, contact_id, company_id),
        foreign key (organisation_id, contact_id) references contacts (organisation_id, id) on delete cascade,
        foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete cascade,
        constraint contact_links_type_fkey foreign key (organisation_id, contact_type_id)
          references contact_types (organisation_id, id) on delete set null (contact_type_id)
      );
      create unique index contact_links_one_primary on contact_links (organisation_id, company_id) where is_primary;
      create index contact_links_of_company on contact_links (organisation_id, company_id, contact_id);
      create index contact_links_of_type on contact_links (organisation_id, contact_type_id, contact_id);
    `);

    // A contact's answer contains its links, so every change of them counts: a deleted company or type removes links too.
    await sql(`
      create function touch_linked_contacts() returns trigger language plpgsql as $$
      begin
        -- Locked first, so that the update below looks at links as the last writer left them.
        perform 1 from contacts c where (c.organisation_id, c.id) in (select d.organisation_id, d.contact_id from changed d)
          order by c.id for no key update;
        update contacts c set version = version + 1, updated_at = statement_timestamp(), linked = exists (
            select 1 from contact_links l where l.organisation_id = c.organisation_id and l.contact_id = c.id)
         where (c.organisation_id, c.id) in (select d.organisation_id, d.contact_id from changed d);
        return null;
      end $$;
      create trigger contacts_gained after insert on contact_links referencing new table as changed
        for each statement execute function touch_linked_contacts();
      create trigger contacts_changed after update on contact_links referencing new table as changed
        for each statement execute function touch_linked_contacts();
      create trigger contacts_lost after delete on contact_links referencing old table as changed
        for each statement execute function touch_linked_contacts();

      create trigger access_given after insert on contacts for each row when (new.account_id is not null)
        execute function bump_access_of_row();
      create trigger access_changed after update of account_id on contacts for each row
        when (old.account_id is distinct from new.account_id) execute function bump_access_of_row();
      create trigger access_taken after delete on contacts for each row when (old.account_id is not null)
        execute function bump_access_of_row();

      create function bump_access_of_contact_link() returns trigger language plpgsql security definer set search_path = public as $$
      declare link contact_links := case tg_op when 'DELETE' then old else new end;
      begin
        if exists (select 1 from contacts c where c.organisation_id = link.organisation_id and c.id = link.contact_id
                    and c.account_id is not null) then
          perform bump_access(link.organisation_id);
        end if;
        return null;
      end $$;
      create trigger access_changed after insert or delete on contact_links
        for each row execute function bump_access_of_contact_link();

      create or replace function selected_companies(sources uuid[]) returns setof uuid language sql stable as $$
        select company_id from company_group_companies where organisation_id = current_organisation() and group_id = any(sources)
        union all
        select company_id from contact_links where organisation_id = current_organisation() and contact_id = any(sources) $$;

      -- The contacts of those companies. Contacts without a company are no client's; whoever asks decides about them.
      create function selected_contacts(sources uuid[]) returns setof uuid language sql stable as $$
        select l.contact_id from contact_links l where l.organisation_id = current_organisation()
           and l.company_id in (select selected_companies(sources)) $$;
    `);
    for (const table of ["contact_types", "contacts", "contact_links"]) await sql(tenantTable(table, application));
  },
};

export default step;
