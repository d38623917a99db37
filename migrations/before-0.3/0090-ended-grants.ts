import { type Step, tenantTable } from "../step.ts";

/**
 * Grants at Google whose connection a foreign key has deleted, with the membership or the account of its owner. The trigger writes the grant
 * and the job that revokes it in the transaction of the deletion, in whichever organisation the connection was (workspace §2.2).
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table workspace_ended_grants (
        -- The id of the connection.
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        subject text not null,
        client_id text not null,
        email text not null,
        refresh_token sealed not null,
        unique (organisation_id, id)
      );
      comment on column workspace_ended_grants.refresh_token is 'sealed in workspace_connections';`);
    await sql(tenantTable("workspace_ended_grants", application));
    await sql(`
      create function workspace_grant_ended() returns trigger language plpgsql as $$
      begin
        insert into workspace_ended_grants (id, organisation_id, subject, client_id, email, refresh_token)
        values (old.id, old.organisation_id, old.subject, old.client_id, old.email, old.refresh_token);
        insert into outbox (id, organisation_id, job, payload, key, dedupe)
        values (gen_random_uuid(), old.organisation_id, 'workspace.grants.revoke', jsonb_build_object('grant_id', old.id), old.id, old.id);
        return null;
      end $$;
      comment on function workspace_grant_ended is 'Keeps the grant of a connection that went with its owner until a job has revoked it';
      -- What the service deletes itself, it revokes itself: only what a foreign key does is kept, which runs within a trigger.
      create trigger grant_ended after delete on workspace_connections for each row
        when (pg_trigger_depth() > 0) execute function workspace_grant_ended();`);
  },
};

export default step;
