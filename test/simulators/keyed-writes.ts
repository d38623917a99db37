import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

/**
 * Deduplicates writes by idempotency key, like a provider that supports one: the same key with the same body gets the first response again
 * and writes nothing; with another body it is an error.
 */
export class KeyedLedger {
  readonly #kept = new Map<string, { body: string; reply: Reply }>();
  /** Number of calls per key. */
  readonly calls = new Map<string, number>();
  /** Number of writes per key: 1, unless the ledger has a bug or the key was reused after `forget`. */
  readonly writes = new Map<string, number>();

  /** Answers a keyed write. @param write makes the change and returns its response; called once per key */
  once(key: string, body: string, write: () => Reply): Reply {
    this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
    const kept = this.#kept.get(key);
    if (kept && kept.body !== body) throw new Misunderstood(`the key '${key}' came with another body`);
    if (kept) return kept.reply;
    const reply = write();
    this.writes.set(key, (this.writes.get(key) ?? 0) + 1);
    this.#kept.set(key, { body, reply });
    return reply;
  }

  /** Keys written more than once. */
  get doubled(): string[] {
    return [...this.writes].filter(([, times]) => times > 1).map(([key]) => key);
  }

  /** Forgets the responses, as a provider does after a day; the counts stay. */
  forget(): void {
    this.#kept.clear();
  }

  reset(): void {
    for (const kept of [this.#kept, this.calls, this.writes]) kept.clear();
  }
}

/** A minimal provider: `POST /writes` with an idempotency key; it counts actual writes. */
export class KeyedWrites extends Simulator {
  readonly ledger = new KeyedLedger();
  /** Written rows, in order. */
  readonly rows: { id: string; key: string; name: string }[] = [];

  get writes(): ReadonlyMap<string, number> {
    return this.ledger.writes;
  }

  get calls(): ReadonlyMap<string, number> {
    return this.ledger.calls;
  }

  get doubled(): string[] {
    return this.ledger.doubled;
  }

  override reset(): void {
    super.reset();
    this.ledger.reset();
    this.rows.length = 0;
  }

  protected answer({ method, path, query, headers, body }: Received): Reply {
    if (method !== "POST" || path !== "/writes" || query.size > 0) throw new Misunderstood("no such operation");
    const key = headers["idempotency-key"];
    if (typeof key !== "string" || key === "") throw new Misunderstood("a write needs an Idempotency-Key");
    if (!/^application\/json/.test(headers["content-type"] ?? "")) throw new Misunderstood("the body must be JSON");
    const name = nameIn(body);
    return this.ledger.once(key, body, () => {
      const row = { id: String(this.rows.length + 1), key, name };
      this.rows.push(row);
      return { status: 201, body: { id: row.id, name } };
    });
  }
}

/** The only field of a write. @throws Misunderstood */
function nameIn(body: string): string {
  const given: unknown = parsed(body);
  const entries = typeof given === "object" && given !== null ? Object.entries(given) : [];
  const [[field, name] = []] = entries;
  if (entries.length !== 1 || field !== "name" || typeof name !== "string") throw new Misunderstood(`the body is '${body}'`);
  return name;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Misunderstood("the body is no JSON");
  }
}
