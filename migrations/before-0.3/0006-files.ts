import { filesOfRecord, type Step, tenantTable } from "../step.ts";

/** Files on records, and their bytes: equal bytes are stored once per organisation. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table file_contents (
        -- Also the name of the bytes in the store: a name is never used a second time.
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        -- When a file last began or ceased to refer to it: what nobody has referred to for a day is reclaimed.
        touched_at timestamptz not null default statement_timestamp(),
        size bigint not null check (size >= 0),
        backend text not null check (backend in ('disk', 's3')),
        sha256 bytea not null check (length(sha256) = 32),
        unique (organisation_id, id),
        constraint file_contents_twin unique (organisation_id, backend, sha256)
      );
      create index file_contents_untouched on file_contents (organisation_id, touched_at);

      create table files (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        content_id uuid not null,
        entity_id uuid not null,
        uploaded_by_account_id uuid references accounts (id) on delete set null,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        inline boolean not null default false,
        entity_type text not null check (entity_type ~ '^[a-z][a-z0-9_]{0,63}$'),
        name text not null check (name <> ''),
        type text not null,
        uploaded_by_name text,
        unique (organisation_id, id),
        foreign key (organisation_id, content_id) references file_contents (organisation_id, id)
      );
      create index files_of_record on files (organisation_id, entity_type, entity_id, created_at, id);
      create index files_of_content on files (organisation_id, content_id);
      create index on files (uploaded_by_account_id);

      create function touch_file_content() returns trigger language plpgsql as $$
      begin
        update file_contents c set touched_at = statement_timestamp()
         where (c.organisation_id, c.id) in (select organisation_id, content_id from gone);
        return null;
      end $$;
      create trigger content_left after delete on files referencing old table as gone
        for each statement execute function touch_file_content();

      create function remove_files_of_record() returns trigger language plpgsql as $$
      begin
        delete from files where organisation_id = old.organisation_id and entity_id = old.id and entity_type = any(tg_argv);
        return null;
      end $$;

      alter table companies add constraint companies_logo foreign key (organisation_id, logo_file_id)
        references files (organisation_id, id) on delete set null (logo_file_id);
      create index companies_with_logo on companies (organisation_id, logo_file_id) where logo_file_id is not null;
    `);
    await sql(filesOfRecord("companies", "company", "company_logo"));
    await sql(filesOfRecord("contacts", "contact"));
    for (const table of ["file_contents", "files"]) await sql(tenantTable(table, application));
  },
};

export default step;
