import { movesWhenCut, SEALED_TYPE, type Step, tenantTable } from "../step.ts";

/** Workspace accounts of people: the organisation's OAuth client and surfaces, and each person's own grant (workspace §2.1, §2.2). */
const step: Step = {
  async up({ sql, application }) {
    await sql(SEALED_TYPE);
    await sql(`
      create table workspace_settings (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        client_id text,
        client_secret sealed,
        calendar_enabled boolean not null default false,
        drive_enabled boolean not null default false,
        mail_enabled boolean not null default false,
        drive_shared_drive_id text,
        drive_parent_folder_id text,
        drive_template_folder_id text,
        drive_auto_provision boolean not null default false,
        -- The colleague whose connection automation uses. Kept while that connection is gone, so that reconnecting is enough.
        automation_connection_user_id uuid references accounts (id) on delete set null,
        mail_approval_mode text not null default 'approval_required' check (mail_approval_mode in ('approval_required', 'auto_approve')),
        mail_thread_followup text not null default 'inherit_pending' check (mail_thread_followup in ('inherit_pending', 'inherit_approve')),
        mail_log_internal boolean not null default false,
        unique (organisation_id, id),
        constraint workspace_settings_one unique (organisation_id)
      );
      create index on workspace_settings (automation_connection_user_id);
      ${movesWhenCut("workspace_settings", "automation_connection_user_id")}

      create table workspace_connections (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        account_id uuid not null,
        -- The person at the provider, and the OAuth client that the grant was given to.
        subject text not null,
        client_id text not null,
        email text not null,
        status text not null default 'active' check (status in ('active', 'error')),
        scopes text[] not null default '{}',
        refresh_token sealed not null,
        access_token sealed,
        access_expires_at timestamptz,
        -- Who refreshes the access token now, and until when nobody else does.
        refresh_holder uuid,
        refresh_until timestamptz,
        mail_sync_enabled boolean not null default false,
        mail_excluded_label text,
        connected_at timestamptz not null default statement_timestamp(),
        error_since timestamptz,
        last_error text,
        unique (organisation_id, id),
        constraint workspace_connections_person unique (organisation_id, account_id),
        -- A connection goes with the membership of its owner.
        foreign key (organisation_id, account_id) references memberships (organisation_id, account_id) on delete cascade
      );
      create index on workspace_connections (organisation_id, email, id);
      create index on workspace_connections (subject, client_id);

      -- The provider revokes every grant of one person to one OAuth client at once, so that a disconnection looks at all organisations.
      create function workspace_grant_in_use(person text, oauth_client text) returns boolean language sql stable security definer
        set search_path = public as $$
        select exists (select from workspace_connections c join organisations o on o.id = c.organisation_id and o.status <> 'deleted'
          where c.subject = person and c.client_id = oauth_client and c.status = 'active') $$;
      comment on function workspace_grant_in_use is 'Whether a live connection of any organisation still uses a grant; it tells no more than that';
      revoke all on function workspace_grant_in_use(text, text) from public;
      grant execute on function workspace_grant_in_use(text, text) to ${application};
    `);
    for (const table of ["workspace_settings", "workspace_connections"]) await sql(tenantTable(table, application));
  },
};

export default step;
