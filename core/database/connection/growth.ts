import type { Pool } from "pg";

/** How often a node estimates the sizes, in milliseconds: soon after a table has grown, and less and less often while none does. */
const SOONEST = 5_000;
const LATEST = 60_000;
/** Rows of a usual table on one page. */
const ROWS = 32;
/** Page counts at which a plan made for a smaller table may be wrong. Above the last, autovacuum analyses often enough. */
const THRESHOLDS = [2, 16, 128, 1024];
/** Estimates: exact sizes ask the file system for each table (20 to 80 ms under load). PostgreSQL counts rows in shared memory, within a second. */
const SIZES = `select c.oid::int8::text as id, greatest(c.relpages, pg_stat_get_live_tuples(c.oid) / ${ROWS}) as pages
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and n.nspname in ('public', 'jobs')`;

/** PostgreSQL then replaces the plans of these tables, on every connection, and keeps those of the others. */
const ANALYSE = "select jobs.analyse($1::oid[])";

/**
 * Replaces the plans of a table that grows from nothing. A connection keeps a generic plan for its whole life, and a plan made while the
 * table was empty scans it: on a new installation the inbox was scanned 97,000 times before PostgreSQL first analysed it. The plans of other
 * tables stay: a connection that plans all of its statements again spends 150 ms.
 */
export class GrowthWatch {
  readonly #pool: Pick<Pool, "query">;
  readonly #mayLook: () => Promise<boolean>;
  readonly #levels = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  /** @param mayLook whether it is this node's turn: PostgreSQL replaces the plans of all, so one node at a time looks */
  constructor(pool: Pick<Pool, "query">, mayLook: () => Promise<boolean> = async () => true) {
    this.#pool = pool;
    this.#mayLook = mayLook;
  }

  /** Reads the sizes until stopped. The next read makes up for one that fails. */
  start(): void {
    let wait = SOONEST;
    const look = async () => {
      const hasGrown = await this.#mayLook()
        .then((may) => may && this.look())
        .catch(() => false);
      wait = hasGrown ? SOONEST : Math.min(wait * 2, LATEST);
      // Nodes that start together do not read together.
      if (!this.#stopped) this.#timer = setTimeout(look, wait * (0.75 + Math.random() / 2)).unref();
    };
    void look();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  /** Reads the sizes once; returns true when a table has outgrown its plans since the previous read. The first read only records them. */
  async look(): Promise<boolean> {
    const { rows } = await this.#pool.query<{ id: string; pages: string }>(SIZES);
    const isFirst = this.#levels.size === 0;
    const grown: string[] = [];
    for (const { id, pages } of rows) {
      const level = THRESHOLDS.filter((threshold) => Number(pages) >= threshold).length;
      if (level > (this.#levels.get(id) ?? 0)) grown.push(id);
      this.#levels.set(id, level);
    }
    if (grown.length === 0 || isFirst) return false;
    await this.#pool.query(ANALYSE, [grown]);
    return true;
  }
}
