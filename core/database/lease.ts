import { statement } from "../sql/statement.ts";
import { queryUnbound } from "./connection/database.ts";

const TAKE = statement(`insert into jobs.leases as l (name, node, ends_at) values ($1, $2, now() + $3 * interval '1 second')
  on conflict (name) do update set node = excluded.node, ends_at = excluded.ends_at where l.node = excluded.node or l.ends_at < now()
  returning true`);
const RELEASE = statement("delete from jobs.leases where name = $1 and node = $2");

/** Work that one node at a time does for all, by PostgreSQL's clock: the others take over once the lease of a dead node has ended. */
export class Lease {
  readonly #name: string;
  readonly #node: string;
  readonly #seconds: number;
  #isHeld = false;

  /**
   * @param node differs from that of every other holder
   * @param seconds how long a lease lasts; longer than the interval between two calls of `take`
   */
  constructor(name: string, node: string, seconds: number) {
    this.#name = name;
    this.#node = node;
    this.#seconds = seconds;
  }

  /** Takes the lease, or renews it. Returns false while another node has it. */
  async take(): Promise<boolean> {
    this.#isHeld = (await queryUnbound(TAKE, [this.#name, this.#node, this.#seconds])).length > 0;
    return this.#isHeld;
  }

  /** Ends the lease, if this node has it. */
  async release(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await queryUnbound(RELEASE, [this.#name, this.#node]);
  }
}
