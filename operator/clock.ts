import { ConfigurationError } from "../core/config/config.ts";

/** How often a node compares its clock, in milliseconds. */
const INTERVAL = 60_000;
/** The largest difference with which a node takes part, in milliseconds: nodes refuse packets that are 60 s off (conventions §2). */
const LARGEST = 30_000;

interface Database {
  query(text: string): Promise<{ rows: { now: number }[] }>;
}

/** Milliseconds that this node's clock is ahead of the database's, reduced by what the answer's way could explain. */
export async function clockLead(database: Database): Promise<number> {
  const asked = Date.now();
  const { rows } = await database.query("select extract(epoch from clock_timestamp())::float8 * 1000 as now");
  const now = rows[0]?.now ?? asked;
  const answered = Date.now();
  if (now < asked) return asked - now;
  return now > answered ? answered - now : 0;
}

const sentenceOf = (ahead: number): string =>
  `The clock of this node is ${Math.round(Math.abs(ahead) / 1000)} seconds ${ahead > 0 ? "ahead of" : "behind"} the database's, which is the nodes' common one: set it (NTP) and start again.`;

/**
 * Compares this node's clock with the database's, now and each minute. A database that does not answer is left to the health check.
 * @param onEnd receives the sentence when the clock goes wrong later
 * @returns a function that ends the comparison
 * @throws ConfigurationError if the clock is more than 30 seconds off
 */
export async function watchClock(database: Database, onEnd: (reason: string) => void): Promise<() => void> {
  const wrong = async (): Promise<string | null> => {
    const ahead = await clockLead(database);
    return Math.abs(ahead) > LARGEST ? sentenceOf(ahead) : null;
  };
  const sentence = await wrong();
  if (sentence) throw new ConfigurationError(sentence);
  const timer = setInterval(() => {
    void wrong().then(
      (reason) => {
        if (reason === null) return;
        clearInterval(timer);
        onEnd(reason);
      },
      () => {},
    );
  }, INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}
