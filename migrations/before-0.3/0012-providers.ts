import { type Step, tenantTable } from "../step.ts";

/** Failures of accounts at providers, shared by all nodes; and text messages. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- A row only while something is wrong; the account's id says nothing about its organisation.
      create table provider_troubles (
        provider text not null,
        account text not null,
        -- Failures since the last answer, and until when nobody calls; one caller may then try (core/outbound/provider/circuit.ts).
        failures int not null default 0,
        closed_until timestamptz,
        -- Until when the provider itself asked to be left alone.
        paused_until timestamptz,
        last_failure text not null,
        last_status int,
        since timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (provider, account)
      );
      grant select, insert, update, delete on provider_troubles to ${application};

      -- No code ever stands here: it is derived from the id when the message is made (core/mail/sms.ts).
      create table sms_messages (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        kind text not null check (kind <> ''),
        status text not null default 'queued' check (status in ('queued', 'sent', 'failed')),
        account_id uuid references accounts (id) on delete set null,
        phone text not null check (phone <> ''),
        locale text,
        gateway_id text,
        attempts int not null default 0,
        last_error text check (length(last_error) <= 500),
        sent_at timestamptz,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id)
      );
      create index on sms_messages (created_at);
      create index on sms_messages (account_id) where account_id is not null;
    `);
    await sql(tenantTable("sms_messages", application));
    await sql(`
      create function remove_old_sms() returns void language sql security definer set search_path = public as $$
        delete from sms_messages where created_at < now() - interval '30 days' $$;
      revoke all on function remove_old_sms() from public;
      grant execute on function remove_old_sms() to ${application};
    `);
  },
};

export default step;
