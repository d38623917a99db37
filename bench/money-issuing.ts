import pg from "pg";

/** Result of issuing: documents per second, and commits per second of the database alone if each commit waits for the previous one. */
export interface Issuing {
  perSecond: number;
  commits: number;
}

const perSecond = async (work: readonly (() => Promise<unknown>)[], callers: number): Promise<number> => {
  const waiting = [...work];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await next();
    }),
  );
  return (work.length * 1000) / (performance.now() - began);
};

/**
 * The bare commit: one statement that increments one row, the minimum cost of a sequence without gaps. Concurrent callers each wait for the
 * row until the previous one has committed, as they do for the number counter.
 */
export class Commits {
  readonly #clients: pg.Client[];

  private constructor(clients: pg.Client[]) {
    this.#clients = clients;
  }

  static async open(connectionString: string, callers: number): Promise<Commits> {
    const clients = Array.from({ length: callers }, () => new pg.Client({ connectionString }));
    await Promise.all(clients.map((client) => client.connect()));
    const [first] = clients as [pg.Client];
    await first.query("create table if not exists bare_commits (n int, filler text)");
    await first.query("insert into bare_commits select 0, repeat('x', 400) where not exists (select 1 from bare_commits)");
    return new Commits(clients);
  }

  /** Commits per second with this many concurrent callers. */
  rate(times: number, callers: number): Promise<number> {
    const text = { name: "commit", text: "update bare_commits set n = n + 1" };
    let turn = 0;
    return perSecond(
      Array.from({ length: times }, () => () => (this.#clients[turn++ % callers] as pg.Client).query(text)),
      callers,
    );
  }

  async close(): Promise<void> {
    await this.#clients[0]?.query("drop table bare_commits");
    await Promise.all(this.#clients.map((client) => client.end()));
  }
}

/**
 * Issues drafts in portions, each followed by as many bare commits, so that other load on the machine affects both alike.
 * @param issue issues one draft and returns its number
 * @throws Error if the numbers are not consecutive
 */
export async function issuing(
  ids: readonly string[],
  {
    callers,
    portions,
    commits,
    issue,
  }: { callers: number; portions: number; commits: Commits; issue(id: string): Promise<string> },
): Promise<Issuing> {
  const size = Math.floor(ids.length / portions);
  const numbers: string[] = [];
  const rates: Issuing[] = [];
  for (let portion = 0; portion < portions; portion++) {
    const some = ids.slice(portion * size, (portion + 1) * size);
    const issued = await perSecond(
      some.map((id) => async () => numbers.push(await issue(id))),
      callers,
    );
    rates.push({ perSecond: issued, commits: await commits.rate(size, callers) });
  }
  const taken = numbers.map((number) => Number(number.replace(/^.*?(\d+)$/, "$1"))).toSorted((one, other) => one - other);
  if (taken.some((number, index) => index > 0 && number !== (taken[index - 1] as number) + 1))
    throw new Error("the numbers have gaps or are there twice");
  const middle = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
  return { perSecond: middle(rates.map((rate) => rate.perSecond)), commits: middle(rates.map((rate) => rate.commits)) };
}
