import { queryOne } from "../../../core/database/query.ts";
import type { Organisation } from "../../../core/declare/principal.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOrganisation } from "../in-organisation.ts";

/** Seconds of a lease without renewal, after which another node can take it over, and milliseconds between renewals. */
export const LEASE = 15;
export const RENEWED = 5_000;
/** Seconds between logins at one server, for all callers together. */
export const BETWEEN_LOGINS = 60;

const UNTIL = `statement_timestamp() + interval '${LEASE} seconds'`;
const TAKE =
  statement(`insert into uptime_leases as l (organisation_id, instance_id, holder, node, held_until) values ($1, $2, $3, $4, ${UNTIL})
  on conflict (organisation_id, instance_id) do update set holder = excluded.holder, node = excluded.node, held_until = excluded.held_until
    where l.holder = excluded.holder or l.held_until < statement_timestamp() returning 1`);
const HOLDER = statement(`select node from uptime_leases
  where organisation_id = $1 and instance_id = $2 and held_until >= statement_timestamp()`);
const RENEW = statement(`update uptime_leases set held_until = ${UNTIL}
  where organisation_id = $1 and instance_id = $2 and holder = $3 returning 1`);
// Keep the row, because it stores the last login.
const END = statement(`update uptime_leases set holder = null, node = null, held_until = '-infinity'
  where organisation_id = $1 and instance_id = $2 and holder = $3 returning 1`);
const LOGIN = statement(`update uptime_leases set last_login_at = statement_timestamp()
  where organisation_id = $1 and instance_id = $2 and holder = $3
    and (last_login_at is null or last_login_at <= statement_timestamp() - interval '${BETWEEN_LOGINS} seconds') returning 1`);
const WAIT =
  statement(`select greatest(1, ceil(extract(epoch from last_login_at - statement_timestamp()) + ${BETWEEN_LOGINS}))::int as seconds
  from uptime_leases where organisation_id = $1 and instance_id = $2`);
const UNSPEND = statement(`update uptime_leases set last_login_at = null
  where organisation_id = $1 and instance_id = $2 and holder = $3 returning 1`);

/** A node's lease on the session of one server, stored in PostgreSQL. */
export class Lease {
  readonly organisation: Organisation;
  readonly instanceId: string;
  /** Unique per session, so that a node restarted under its old name does not own the old lease. */
  readonly holder: string;

  constructor(organisation: Organisation, instanceId: string, holder: string) {
    this.organisation = organisation;
    this.instanceId = instanceId;
    this.holder = holder;
  }

  #do<T>(text: ReturnType<typeof statement>, ...more: unknown[]): Promise<T | undefined> {
    const { organisation, instanceId } = this;
    return inOrganisation(organisation, "write", () => queryOne<T>(text, [organisation.id, instanceId, ...more]));
  }

  /** Acquires the lease unless another session has it. @param node the name of this node */
  async take(node: string): Promise<boolean> {
    return (await this.#do(TAKE, this.holder, node)) !== undefined;
  }

  /** The node whose session has the lease; null if there is none. */
  async holdingNode(): Promise<string | null> {
    return (await this.#do<{ node: string | null }>(HOLDER))?.node ?? null;
  }

  /** @returns false if another session has the lease */
  async renew(): Promise<boolean> {
    return (await this.#do(RENEW, this.holder)) !== undefined;
  }

  async end(): Promise<void> {
    await this.#do(END, this.holder);
  }

  /** Uses this minute's login. @returns the seconds to wait if it is used already, else null */
  async spendLogin(): Promise<number | null> {
    if (await this.#do(LOGIN, this.holder)) return null;
    return (await this.#do<{ seconds: number }>(WAIT))?.seconds ?? BETWEEN_LOGINS;
  }

  /** Releases this minute's login: the server only asked for the second factor, which is half a login. */
  async unspendLogin(): Promise<void> {
    await this.#do(UNSPEND, this.holder);
  }
}
