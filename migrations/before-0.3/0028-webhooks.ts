import { SEALED_TYPE, type Step, tenantTable } from "../step.ts";

/** Webhooks: an organisation's endpoints for events, and the deliveries there with their answers. */
const step: Step = {
  async up({ sql, application }) {
    await sql(SEALED_TYPE);
    await sql(`
      create table webhook_endpoints (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        name text not null check (name <> ''),
        url text not null check (url ~* '^https?://'),
        events text[] not null check (cardinality(events) > 0),
        enabled boolean not null default true,
        -- Why the service itself switched it off; null while a person decides.
        disabled_reason text check (disabled_reason in ('gone', 'failing')),
        disabled_at timestamptz,
        secret sealed not null,
        -- Signs beside the new one for a day after a rotation.
        previous_secret sealed,
        previous_secret_until timestamptz,
        -- Since when no delivery has succeeded.
        failing_since timestamptz,
        last_success_at timestamptz,
        unique (organisation_id, id)
      );
      create index on webhook_endpoints (organisation_id, name collate kantoor_text, id);
      create index on webhook_endpoints (organisation_id, updated_at);

      create table webhook_deliveries (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        -- The order in which events of one record are sent.
        seq bigint not null generated always as identity,
        endpoint_id uuid not null,
        event_id uuid not null,
        event text not null,
        entity_type text not null,
        entity_id uuid not null,
        payload jsonb not null,
        actor_account_id uuid,
        request_id text,
        status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
        attempts int not null default 0,
        next_attempt_at timestamptz default statement_timestamp(),
        last_attempt_at timestamptz,
        response_status int,
        response_body text,
        error text check (length(error) <= 500),
        unique (organisation_id, id),
        constraint webhook_deliveries_pending check ((status = 'pending') = (next_attempt_at is not null)),
        constraint webhook_deliveries_endpoint_fkey foreign key (organisation_id, endpoint_id)
          references webhook_endpoints (organisation_id, id) on delete cascade,
        -- An event goes to an endpoint once, under one webhook-id.
        constraint webhook_deliveries_event_key unique (organisation_id, endpoint_id, event_id)
      );
      create index on webhook_deliveries (organisation_id, created_at, id);
      create index on webhook_deliveries (organisation_id, updated_at);
      create index webhook_deliveries_of_endpoint on webhook_deliveries (organisation_id, endpoint_id, created_at, id);
      create index on webhook_deliveries (organisation_id, status, created_at, id);
      create index on webhook_deliveries (organisation_id, event, created_at, id);
      create index webhook_deliveries_waiting on webhook_deliveries (organisation_id, endpoint_id, seq) where status = 'pending';
    `);
    await sql(`
      -- Nodes remember by the access revision of an organisation which events its endpoints are told of.
      create trigger access_changed after insert or delete or update of events, enabled on webhook_endpoints
        for each row execute function bump_access_of_row();
    `);
    for (const table of ["webhook_endpoints", "webhook_deliveries"]) await sql(tenantTable(table, application));
  },
};

export default step;
