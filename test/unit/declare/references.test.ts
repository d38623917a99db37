import { expect } from "chai";
import pg from "pg";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { declaredReferences } from "../../../core/references/references.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

interface Column {
  name: string;
  table: string;
  column: string;
  type: string;
}

/** Tables of installation-wide work, which name no record of an organisation. */
const OF_THE_INSTALLATION = /^(instance_|operator_audit|organisation_(backups|restores)|jobs\.)/;
/** Columns of ids without a foreign key that name no client and no contact, by what they name. */
const OTHERS: Record<string, readonly string[]> = {
  "people and keys": [
    "access_audit.actor_id",
    "access_audit.target_account_id",
    "activity.actor_account_id",
    "activity.actor_service_account_id",
    "ads_decisions.actor_account_id",
    "ads_decisions.actor_service_account_id",
    "ads_decisions.withdrawn_by_account_id",
    "ads_decisions.withdrawn_by_service_account_id",
    "ads_intents.actor_account_id",
    "ads_intents.actor_service_account_id",
    "gone_rows.persons",
    "hr_documents.user_id",
    "idempotency_keys.principal_id",
    "impex_jobs.starter_id",
    "interaction_suppressions.owner_account_id",
    "interactions.owner_account_id",
    "invoice_daily_mails.reminder_by",
    "leave_availability.user_id",
    "leave_contracted.user_id",
    "leave_contracts.user_id",
    "leave_entitlements.user_id",
    "leave_profiles.user_id",
    "leave_recurring_days.user_id",
    "leave_requests.decided_by_user_id",
    "leave_requests.hours_override_by_user_id",
    "leave_requests.user_id",
    "notification_events.actor_account_id",
    "outbox.actor_account_id",
    "reports.generated_by",
    "task_comments.author_account_id",
    "task_comments.author_service_account_id",
    "task_comments.mentioned_user_ids",
    "task_schedules.created_by_account_id",
    "time_entries.approved_by_user_id",
    "time_entries.user_id",
    "webhook_deliveries.actor_account_id",
  ],
  "records of another kind": [
    "access_audit.role_id",
    "automation_matches.rule_ids",
    "automation_matches.run_ids",
    "document_lines.domain_id",
    "document_lines.subscription_id",
    "document_lines.time_entry_ids",
    "impex_jobs.file_id",
    "leave_availability.pair_id",
    "notification_deliveries.channel_id",
    "period_claims.source_id",
    "report_mails.document_id",
    "task_comments.mentioned_task_ids",
    "time_entries.subscription_id",
    "webhook_deliveries.endpoint_id",
    "webhook_deliveries.event_id",
    "workspace_calendar_mirrors.source_id",
  ],
  "runs, turns and leases": [
    "ads_budget_turns.holder",
    "ads_intents.work_id",
    "automation_runs.claimed_by",
    "drive_creations.holder",
    "edge_zone_leases.holder",
    "idempotency_keys.work_id",
    "impex_jobs.run",
    "interactions.conversation_id",
    "marketing_links.held_by",
    "notification_deliveries.bundle_id",
    "registrar_accounts.pushing",
    "report_mails.holder",
    "report_turns.run_id",
    "reports.notified_run_id",
    "reports.run_id",
    "uptime_leases.holder",
    "workspace_calendar_events.fill",
    "workspace_calendars.fill",
    "workspace_calendars.pulled_by",
    "workspace_connections.refresh_holder",
  ],
  "sources of selections, groups and contacts: a merged contact's login moves, and its selection is read again": [
    "former_selections.source_id",
    "selection_moves.source_id",
  ],
};

/** Ids that no foreign key covers. */
const LOOSE = `select format('%s.%s', t.name, a.attname) as name, t.name as table, a.attname::text as column, format_type(a.atttypid, null) as type
  from (select c.oid, case n.nspname when 'public' then c.relname else n.nspname || '.' || c.relname end as name
          from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and n.nspname in ('public', 'jobs')) t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
 where a.atttypid in ('uuid'::regtype, 'uuid[]'::regtype) and a.attname not in ('id', 'organisation_id')
   and not exists (select from pg_constraint k where k.conrelid = t.oid and k.contype = 'f' and a.attnum = any(k.conkey))
 order by 1`;
/** Unique keys with a column that refers to a client or a contact. */
const UNIQUE = `select distinct format('%s.%s', c.relname, a.attname) as name
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = any(k.conkey)
  join pg_index i on i.indrelid = c.oid and i.indisunique and a.attnum = any(i.indkey::int2[])
 where k.contype = 'f' and k.confrelid in ('companies'::regclass, 'contacts'::regclass) and a.attname <> 'organisation_id' order by 1`;
const COLUMNS = `select format('%s.%s', c.relname, a.attname) as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
 where c.relnamespace = 'public'::regnamespace and not a.attisdropped`;

describe("references to clients and contacts", () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await cloneDatabase();
    client = new pg.Client({ connectionString: database.superuser });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  const namesOf = async (text: string) => (await client.query<Column>(text)).rows;

  it("without a foreign key are declared, or name something else", async () => {
    const declared = declaredReferences();
    const others = new Set(Object.values(OTHERS).flat());
    const undecided = (await namesOf(LOOSE)).filter(
      ({ name }) => !declared.has(name) && !others.has(name) && !OF_THE_INSTALLATION.test(name),
    );
    expect(undecided.map(({ name }) => name)).to.deep.equal([]);
    const there = new Set((await namesOf(LOOSE)).map(({ name }) => name));
    expect([...others].filter((name) => !there.has(name))).to.deep.equal([]);
  });

  it("under a unique key say which of two rows stays", async () => {
    const declared = declaredReferences();
    const undecided = (await namesOf(UNIQUE)).filter(({ name }) => {
      const { left, oneBy, renumbered } = declared.get(name) ?? {};
      return left === undefined && oneBy === undefined && renumbered === undefined;
    });
    expect(undecided.map(({ name }) => name)).to.deep.equal([]);
  });

  it("are columns that are there, of tables of the module that declares them", async () => {
    const there = new Set((await namesOf(COLUMNS)).map(({ name }) => name));
    for (const { manifest } of catalogue().built)
      for (const [name, { kind, to, oneBy = [], flag, renumbered }] of Object.entries(manifest.references ?? {})) {
        const [table = ""] = name.split(".");
        expect(manifest.tables, name).to.include(table);
        const also = [kind ?? [], oneBy, flag ?? [], renumbered ? [renumbered.column, ...renumbered.by] : []].flat();
        for (const column of [name, ...also.map((one) => `${table}.${one}`)]) expect(there, name).to.include(column);
        if (to !== undefined && to !== "any") expect(catalogue().records, name).to.include.keys(to);
      }
  });
});
