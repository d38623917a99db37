import type pg from "pg";
import { mailToken } from "../../../core/mail/mail.ts";
import { until } from "../jobs.ts";

/** A mail queued for a person, with the secret in its link. */
export interface Mailed {
  id: string;
  kind: string;
  link: string;
  locale: string | null;
  token: string;
}

/** Requested links that no job has mailed yet. */
const ASKED = `select (select count(*) from outbox where job = 'access.mail-link')::int
  + (select count(*) from jobs.agenda_jobs where name = 'access.mail-link' and (next_run_at is not null or locked_at is not null))::int as waiting`;

/** Mails queued for an address, oldest first. The secret is derived the way the sending job does. */
export async function mailedTo(sql: pg.ClientBase, address: string): Promise<Mailed[]> {
  await until(async () => (await sql.query(ASKED)).rows[0].waiting === 0);
  const { rows } = await sql.query("select id, kind, link, locale from mails where to_address = $1 order by id", [address]);
  return rows.map((row) => ({ ...row, token: mailToken(row.id) }));
}

/** The newest mail to an address. @throws Error if there is none */
export async function lastMailTo(sql: pg.ClientBase, address: string): Promise<Mailed> {
  const last = (await mailedTo(sql, address)).at(-1);
  if (!last) throw new Error(`nothing was mailed to ${address}`);
  return last;
}
