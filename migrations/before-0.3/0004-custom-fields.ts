import { type Step, tenantTable } from "../step.ts";

/** The fields an organisation adds to its records. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table custom_field_definitions (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        entity_type text not null check (entity_type <> ''),
        key text collate "C" not null check (key <> ''),
        data_type text not null default 'text' check (data_type in ('text', 'long_text', 'number', 'boolean', 'date', 'datetime', 'select',
          'multi_select', 'email', 'url', 'phone')),
        label_i18n jsonb not null default '{}',
        required boolean not null default false,
        options_json jsonb not null default '[]',
        config_json jsonb not null default '{}',
        position int not null default 0,
        active boolean not null default true,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint custom_field_definitions_key unique (organisation_id, entity_type, key)
      );
      create index custom_field_definitions_in_order on custom_field_definitions (organisation_id, entity_type, position, key);

      -- Nodes keep definitions by access revision (core/custom-fields/definitions.ts): a change moves it, so that none decides by an old one.
      create trigger access_changed after insert or update or delete on custom_field_definitions
        for each row execute function bump_access_of_row();
    `);
    await sql(tenantTable("custom_field_definitions", application));
  },
};

export default step;
