import { queryUnbound } from "../../core/database/connection/database.ts";
import { statement } from "../../core/sql/statement.ts";

/** Failed mails that are listed. */
const FAILURES = 50;

const OUTBOX = statement("select waiting::float8 as waiting, oldest_seconds from jobs.outbox_backlog()");
const MAILS = statement("select state, mails, oldest_seconds from mail_figures()");
const MAIL_FAILURES = statement(
  "select id, organisation, kind, status, attempts, transport, error, failed_at from mail_failures($1)",
);
const WEBHOOKS = statement("select state, deliveries, endpoints from webhook_figures()");
const NAMES = statement(
  "select o.id, o.slug, o.name from unnest($1::text[]) w(slug) cross join lateral resolve_host('', w.slug) o",
);

/** Rows of the outbox that are not in the queue yet. */
export interface OutboxFigures {
  waiting: number;
  /** Age of the oldest, in seconds; 0 for none. */
  oldest_seconds: number;
}

/** A mail that failed, or waits for its next attempt, without recipient and content. */
export interface MailFailure {
  id: string;
  /** Slug of its organisation. */
  organisation: string;
  kind: string;
  status: "failed" | "queued";
  attempts: number;
  transport: string | null;
  /** Addresses in it are masked. */
  error: string;
  /** ISO 8601. */
  failed_at: string;
}

/** Mails by state: the queued ones, and of the others those of the last hour. */
export interface MailFigures {
  states: { state: string; mails: number; oldest_seconds: number }[];
  /** The latest 50 failures. */
  failures: MailFailure[];
}

/** Deliveries that wait, and endpoints by state. */
export interface WebhookFigures {
  pending: number;
  working: number;
  failing: number;
  disabled: number;
}

export async function outboxFigures(): Promise<OutboxFigures> {
  const [row] = await queryUnbound<OutboxFigures>(OUTBOX);
  return row as OutboxFigures;
}

const withoutAddresses = (text: string): string => text.replaceAll(/[^\s<>"'(),;:@]+@(?=[\w-]+\.)/g, "***@");

export async function mailFigures(): Promise<MailFigures> {
  const [states, failures] = await Promise.all([
    queryUnbound<MailFigures["states"][number]>(MAILS),
    queryUnbound<MailFailure>(MAIL_FAILURES, [FAILURES]),
  ]);
  return { states, failures: failures.map((mail) => ({ ...mail, error: withoutAddresses(mail.error) })) };
}

export async function webhookFigures(): Promise<WebhookFigures> {
  const rows = await queryUnbound<{ state: string; deliveries: number | null; endpoints: number | null }>(WEBHOOKS);
  const of = (state: string) => rows.find((row) => row.state === state);
  return {
    pending: of("pending")?.deliveries ?? 0,
    working: of("working")?.endpoints ?? 0,
    failing: of("failing")?.endpoints ?? 0,
    disabled: of("disabled")?.endpoints ?? 0,
  };
}

/** Ids and names of organisations by slug; deleted ones are missing. */
export async function organisationNames(slugs: readonly string[]): Promise<ReadonlyMap<string, { id: string; name: string }>> {
  const rows = await queryUnbound<{ id: string; slug: string; name: string }>(NAMES, [slugs]);
  return new Map(rows.map(({ id, slug, name }) => [slug, { id, name }]));
}
