import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { mayBeWritten } from "../../../core/declare/licence.ts";
import { LICENCE_COLUMNS, licenceOf, type StoredLicence } from "../../../core/organisation/licence-state.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { IS_WORKING, WORKING_CONNECTIONS } from "../../../mixins/google/connection.ts";
import { SCOPE } from "../../../mixins/google/scopes.ts";

/** The result of a manual poll. */
export interface PollResult {
  status: "polled" | "error";
  /** Number of contact moments created. */
  logged: number;
}

/** How far a mailbox has been read. */
export interface MailboxRow {
  /** The history id read so far; null if the next poll starts with mail that arrives after it. */
  history_id: string | null;
  polled_at: string | null;
  gap_since: string | null;
  gap_open: boolean;
  stuck_message_id: string | null;
  stuck_times: number;
  /** Time of the last request for a manual poll. */
  asked_at: string | null;
  asked: number;
  ended: number;
  result: PollResult | null;
}

/** A colleague's mailbox, as the gates use it. */
export interface ColleagueMailbox {
  address: string;
  account_id: string;
  syncs: boolean;
}

const COLUMNS = "history_id, polled_at, gap_since, gap_open, stuck_message_id, stuck_times, asked_at, asked, ended, result";
const ONE = "organisation_id = $1 and connection_id = $2";
const READ = statement(`select ${COLUMNS} from workspace_mailboxes where ${ONE}`);
const LOCK = statement(`select ${COLUMNS} from workspace_mailboxes where ${ONE} for update`);
const BEGIN = statement(
  "insert into workspace_mailboxes (organisation_id, connection_id) values ($1, $2) on conflict do nothing",
);
const IS_READ = `c.mail_sync_enabled and '${SCOPE.mail}' = any(c.scopes)`;
const DUE = statement(`select c.id from ${WORKING_CONNECTIONS} where ${IS_WORKING} and ${IS_READ}
  and exists (select from workspace_settings s where s.organisation_id = c.organisation_id and s.mail_enabled)`);
const IS_DUE = statement(`select c.id, c.account_id, c.email, c.mail_excluded_label, s.mail_approval_mode, s.mail_thread_followup,
    s.mail_log_internal
  from ${WORKING_CONNECTIONS} join workspace_settings s on s.organisation_id = c.organisation_id and s.mail_enabled
 where ${IS_WORKING} and c.id = $2 and ${IS_READ}`);
const COLLEAGUES = statement(`select c.email as address, c.account_id, c.status = 'active' and ${IS_READ} as syncs
  from ${WORKING_CONNECTIONS} where c.organisation_id = $1`);
const LICENCE = statement(`select ${LICENCE_COLUMNS} from organisations o where o.id = $1`);
const REMEMBER =
  statement(`insert into workspace_mail_skips (organisation_id, connection_id, message_id, reason, detail) values ($1, $2, $3, $4, $5)
  on conflict (organisation_id, connection_id, message_id) do update set reason = excluded.reason, detail = excluded.detail`);
const REMEMBERED = statement(`select message_id, reason, detail from workspace_mail_skips
  where ${ONE} and message_id = any($3::text[])`);
const READABLE =
  statement(`select c.id, c.account_id from ${WORKING_CONNECTIONS} where ${IS_WORKING} and '${SCOPE.mail}' = any(c.scopes)
  and exists (select from workspace_settings s where s.organisation_id = c.organisation_id and s.mail_enabled)`);

const place = (connectionId: string) => [request().organisation.id, connectionId];

/** How far a mailbox has been read; undefined before its first poll. */
export const mailboxOf = (connectionId: string): Promise<MailboxRow | undefined> =>
  queryOne<MailboxRow>(READ, place(connectionId));

/** Like `mailboxOf`, but creates a missing row and locks it until the transaction ends. */
export async function lockedMailbox(connectionId: string): Promise<MailboxRow> {
  enqueue(BEGIN, place(connectionId));
  return (await queryOne<MailboxRow>(LOCK, place(connectionId))) as MailboxRow;
}

const updates = new Map<string, ReturnType<typeof statement>>();

/** Updates a mailbox, if its connection exists. */
export async function storeMailbox(connectionId: string, values: Partial<MailboxRow>): Promise<void> {
  const names = Object.keys(values).toSorted() as (keyof MailboxRow)[];
  const key = names.join();
  const text =
    updates.get(key) ??
    statement(`update workspace_mailboxes set ${names.map((name, index) => `${name} = $${index + 3}`).join(", ")} where ${ONE}`);
  updates.set(key, text);
  const encoded = (name: keyof MailboxRow) => (name === "result" ? JSON.stringify(values[name]) : values[name]);
  await lockedMailbox(connectionId);
  enqueue(text, [...place(connectionId), ...names.map(encoded)]);
}

/**
 * Stores how far a poll has read, unless its owner switched the feed off since it began: what arrives until it is on again is not read.
 * Runs in a write transaction.
 * @param before the history id that the poll continued from; null at its beginning
 * @returns whether it was stored; otherwise the poll must end
 */
export async function storeProgress(connectionId: string, before: string | null, values: Partial<MailboxRow>): Promise<boolean> {
  const { history_id } = await lockedMailbox(connectionId);
  if (history_id !== before || !(await openMailbox(connectionId))) return false;
  await storeMailbox(connectionId, values);
  return true;
}

/** The connections whose mailbox is polled regularly. */
export const dueMailboxes = (): Promise<{ id: string }[]> => query<{ id: string }>(DUE, [request().organisation.id]);

/** The connections that can read messages, polled or not. */
export const readableMailboxes = (): Promise<{ id: string; account_id: string }[]> =>
  query<{ id: string; account_id: string }>(READABLE, [request().organisation.id]);

/** A mailbox that can be read now, with its owner's and the organisation's settings. */
export interface OpenMailbox {
  id: string;
  account_id: string;
  email: string;
  mail_excluded_label: string | null;
  mail_approval_mode: "approval_required" | "auto_approve";
  mail_thread_followup: "inherit_pending" | "inherit_approve";
  mail_log_internal: boolean;
}

/** A mailbox, if it can be read now. */
export const openMailbox = (connectionId: string): Promise<OpenMailbox | undefined> =>
  queryOne<OpenMailbox>(IS_DUE, place(connectionId));

/** The mailboxes of all colleagues, and whether each is polled. */
export const colleagueMailboxes = (): Promise<ColleagueMailbox[]> =>
  query<ColleagueMailbox>(COLLEAGUES, [request().organisation.id]);

/** Whether contact moments can be written: importing mail stops when their licence ends. */
export async function mayLogMail(): Promise<boolean> {
  const row = await queryOne<StoredLicence>(LICENCE, [request().organisation.id]);
  return row !== undefined && mayBeWritten("interactions", licenceOf(row), Date.now());
}

/** A skipped message whose reason could not be found again later. */
export interface Skip {
  message_id: string;
  reason: "deferred_to_owner" | "ingest_error";
  detail: Record<string, string>;
}

/** Remembers for 60 days why a message was skipped. */
export const rememberSkip = (connectionId: string, { message_id, reason, detail }: Skip): void =>
  enqueue(REMEMBER, [...place(connectionId), message_id, reason, JSON.stringify(detail)]);

/** The remembered skips of the messages. */
export const rememberedSkips = (connectionId: string, ids: readonly string[]): Promise<Skip[]> =>
  query<Skip>(REMEMBERED, [...place(connectionId), ids]);
