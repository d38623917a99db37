import type pg from "pg";

/** Whether a write was acknowledged; one without an answer may have happened or not. */
type State = "acknowledged" | "unknown";

/** A record that a client created, and the last value that it wrote into it. */
interface Created {
  state: State;
  id?: string;
  /** The last acknowledged text, and those without an answer since. */
  text: string | null;
  unsure: string[];
}

/** A request that did not get the answer that a client of an idle installation gets. */
export interface Failure {
  phase: string;
  act: string;
  status: number;
  text: string;
}

const TABLES = { tasks: "title", time_entries: "description", companies: "name" } as const;
export type Kind = keyof typeof TABLES;

/** What the clients of an installation wrote, and what they were told. */
export class Journal {
  readonly created: Record<Kind, Map<string, Created>> = { tasks: new Map(), time_entries: new Map(), companies: new Map() };
  readonly failures: Failure[] = [];

  /** @param name unique among all records of its kind */
  begin(kind: Kind, name: string): Created {
    const created: Created = { state: "unknown", text: null, unsure: [] };
    this.created[kind].set(name, created);
    return created;
  }

  /**
   * Compares the tables with what was acknowledged.
   * @returns a sentence for each write that is lost, and for each that happened twice
   */
  async differences(sql: pg.Client): Promise<string[]> {
    const found: string[] = [];
    for (const [kind, column] of Object.entries(TABLES) as [Kind, string][]) {
      const { rows } = await sql.query<{ name: string; count: number }>(
        `select ${column} as name, count(*)::int as count from ${kind} where ${column} = any($1) group by 1`,
        [[...this.created[kind].keys()]],
      );
      const counts = new Map(rows.map(({ name, count }) => [name, count]));
      for (const [name, { state }] of this.created[kind]) {
        const count = counts.get(name) ?? 0;
        if (count > 1) found.push(`${kind} '${name}' is there ${count} times`);
        if (count === 0 && state === "acknowledged") found.push(`${kind} '${name}' was acknowledged and is lost`);
      }
    }
    const { rows } = await sql.query<{ title: string; description: string | null }>(
      "select title, description from tasks where title = any($1)",
      [[...this.created.tasks.keys()]],
    );
    for (const { title, description } of rows) {
      const { text, unsure } = this.created.tasks.get(title) as Created;
      if (description !== text && !unsure.includes(String(description)))
        found.push(`tasks '${title}' has the text '${description}' instead of '${text}'`);
    }
    return found;
  }
}
