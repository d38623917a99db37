import { SEALED_TYPE, type Step, tenantTable } from "../step.ts";

/** How an organisation sends mail, its own texts, and the mails themselves. */
const step: Step = {
  async up({ sql, application }) {
    await sql(SEALED_TYPE);
    await sql(`
      -- What a mail shows of its sender beside the name, and whether the operator lends it the instance's transport.
      alter table organisations
        add column brand_name text check (brand_name <> ''),
        add column logo_url text,
        add column primary_color text check (primary_color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$'),
        add column instance_mail boolean not null default true;

      create table email_settings (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        provider text not null check (provider in ('smtp', 'brevo', 'sendgrid', 'smtp2go', 'instance')),
        from_address text,
        from_name text,
        reply_to text,
        host text,
        port int check (port between 1 and 65535),
        security text not null default 'starttls' check (security in ('none', 'starttls', 'tls')),
        username text,
        secret sealed,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint email_settings_one unique (organisation_id)
      );

      create table email_templates (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        kind text not null check (kind <> ''),
        locale text not null check (locale <> ''),
        subject text not null default '',
        body text not null default '',
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint email_templates_kind unique (organisation_id, kind, locale)
      );

      -- No secret ever stands here: the one in a link is derived from the id when the mail is made (core/mail/mail.ts).
      create table mails (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        kind text not null check (kind <> ''),
        status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'kept')),
        account_id uuid references accounts (id) on delete set null,
        to_address text not null check (to_address <> ''),
        to_name text,
        reply_to text,
        locale text,
        variables jsonb not null default '{}',
        link text,
        entity_type text,
        entity_id uuid,
        transport text,
        attempts int not null default 0,
        last_error text check (length(last_error) <= 500),
        sent_at timestamptz,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id)
      );
      create index mails_by_state on mails (organisation_id, status, created_at desc);
      create index on mails (status, created_at);
      create index mails_of_account on mails (account_id) where account_id is not null;
    `);
    for (const table of ["email_settings", "email_templates", "mails"]) await sql(tenantTable(table, application));
    await sql(`
      -- Mail that nobody sends, of every organisation of the box: for the instance administrator's eyes only (conventions §19).
      create function kept_mails(wanted uuid) returns table (mail jsonb, organisation jsonb) language sql stable security definer
        set search_path = public as $$
        select to_jsonb(m), to_jsonb(o) from mails m join organisations o on o.id = m.organisation_id
         where m.status = 'kept' and m.created_at > now() - interval '24 hours' and o.status <> 'deleted' and (wanted is null or m.id = wanted)
         order by m.created_at desc, m.id desc limit 200 $$;

      -- Kept mail goes after a day (conventions §19), what was sent or given up after a month. What nobody sent in time is given up.
      create function remove_old_mails() returns void language sql security definer set search_path = public as $$
        delete from mails where status = 'kept' and created_at < now() - interval '24 hours'
          or status in ('sent', 'failed') and created_at < now() - interval '30 days';
        update mails set status = 'failed', last_error = 'errors.email_expired', version = version + 1, updated_at = now()
         where status = 'queued' and created_at < now() - interval '8 days' $$;
      revoke all on function kept_mails(uuid), remove_old_mails() from public;
      grant execute on function kept_mails(uuid), remove_old_mails() to ${application};
    `);
  },
};

export default step;
