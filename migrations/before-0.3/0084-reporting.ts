import { movesWhenCut, type Step, tenantTable } from "../step.ts";

const COMMON = `
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id)`;

/** References of a profile that a deletion empties: it moves the profile's state, whichever it is. */
const CUT = ["tone_id", "template_id", "internal_template_id"];

/** How clients' reports look and sound, and what each client's is made of (workspace-reporting §1.1, §1.2, §1.4). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- What an organisation set; one row at most.
      create table reporting_settings (${COMMON},
        default_locale text not null default 'nl',
        footer_text text,
        -- The keys of the schedule that were set; the others are built in.
        schedule jsonb not null default '{}',
        constraint reporting_settings_one unique (organisation_id)
      );

      create table report_tones (${COMMON},
        key text collate "C" not null check (length(key) between 1 and 64),
        name text collate kantoor_text not null,
        description text,
        instructions text not null default '',
        banned_phrases text[] not null default '{}',
        preferred_phrases text[] not null default '{}',
        is_default boolean not null default false,
        active boolean not null default true,
        position int not null default 0,
        constraint report_tones_key unique (organisation_id, key)
      );
      create unique index report_tones_one_default on report_tones (organisation_id) where is_default;

      create table report_templates (${COMMON},
        name text collate kantoor_text not null,
        audience text not null default 'client' check (audience in ('client', 'internal')),
        design text not null default 'standard',
        layout jsonb not null default '{"sections": []}',
        custom_html text,
        custom_css text,
        accent_color text,
        cover_image_file_id uuid,
        intro_text text,
        is_default boolean not null default false,
        foreign key (organisation_id, cover_image_file_id) references files (organisation_id, id)
          on delete set null (cover_image_file_id)
      );
      create unique index report_templates_one_default on report_templates (organisation_id, audience) where is_default;
      create index on report_templates (organisation_id, cover_image_file_id) where cover_image_file_id is not null;

      create table report_profiles (${COMMON},
        company_id uuid not null,
        display_name text,
        tone_id uuid,
        template_id uuid,
        internal_template_id uuid,
        -- Null: the organisation's default.
        locale text,
        business_context text,
        goals text,
        seo_focus text,
        sea_focus text,
        key_services text,
        priority_pages text,
        conversion_goals text,
        scope_notes text,
        avoid_topics text,
        recipients jsonb not null default '[]',
        -- The keys of the schedule that the client has of its own.
        schedule jsonb not null default '{}',
        -- Whether a section is printed, by key, where the client differs from its template.
        sections jsonb not null default '{}',
        internal_enabled boolean not null default true,
        active boolean not null default true,
        constraint report_profiles_one unique (organisation_id, company_id),
        foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete cascade,
        foreign key (organisation_id, tone_id) references report_tones (organisation_id, id) on delete set null (tone_id),
        foreign key (organisation_id, template_id) references report_templates (organisation_id, id)
          on delete set null (template_id),
        foreign key (organisation_id, internal_template_id) references report_templates (organisation_id, id)
          on delete set null (internal_template_id)
      );
      create index on report_profiles (organisation_id, tone_id) where tone_id is not null;
      create index on report_profiles (organisation_id, template_id) where template_id is not null;
      create index on report_profiles (organisation_id, internal_template_id) where internal_template_id is not null;
    `);
    for (const table of ["reporting_settings", "report_tones", "report_templates", "report_profiles"])
      await sql(tenantTable(table, application));
    await sql(movesWhenCut("report_templates", "cover_image_file_id") + movesWhenCut("report_profiles", ...CUT));
  },
};

export default step;
