import type pg from "pg";
import { mailToken } from "../../../core/mail/mail.ts";

/** A mail the service has promised somebody, with the secret in its link. */
export interface Mailed {
  id: string;
  kind: string;
  link: string;
  locale: string | null;
  token: string;
}

/** The mails that were queued for an address, oldest first. The secret is worked out as whoever sends the mail does. */
export async function mailedTo(sql: pg.ClientBase, address: string): Promise<Mailed[]> {
  const { rows } = await sql.query("select id, kind, link, locale from mails where to_address = $1 order by id", [address]);
  return rows.map((row) => ({ ...row, token: mailToken(row.id) }));
}

/** The newest mail to an address. @throws Error when there is none */
export async function lastMailTo(sql: pg.ClientBase, address: string): Promise<Mailed> {
  const last = (await mailedTo(sql, address)).at(-1);
  if (!last) throw new Error(`nothing was mailed to ${address}`);
  return last;
}
